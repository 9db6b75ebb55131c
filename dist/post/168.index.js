export * from "../main/168.index.js";
