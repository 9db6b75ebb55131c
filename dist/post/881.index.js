export * from "../main/881.index.js";
