declare const brand: unique symbol;

/** A value that only one place may make: `Brand<string, "Sha">` is a string nobody gets by accident. */
export type Brand<T, Name extends string> = T & { readonly [brand]: Name };
