export * from "../main/835.index.js";
