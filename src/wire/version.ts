/** What GitHub sees in the user agent; the release in package.json. */
export const version = "0.1.0";
