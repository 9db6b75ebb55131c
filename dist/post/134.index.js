export * from "../main/134.index.js";
