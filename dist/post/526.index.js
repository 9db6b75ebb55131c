export * from "../main/526.index.js";
