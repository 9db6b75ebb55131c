/** The ways in which a secret is hidden most often, each on one line. */
export function disguises(secret: string): readonly (readonly [how: string, text: string])[] {
  const bytes = Buffer.from(secret);
  const each = (write: (byte: number) => string) => Array.from(bytes, write).join("");
  const hex = (byte: number) => byte.toString(16).padStart(2, "0");
  return [
    ["as it is", secret],
    ["in base64", bytes.toString("base64")],
    ["in base64 after one other character", Buffer.from(`a${secret}bc`).toString("base64")],
    ["in base64url after two other characters", Buffer.from(`ab${secret}`).toString("base64url")],
    ["in hex", bytes.toString("hex")],
    ["in capital hex", bytes.toString("hex").toUpperCase()],
    ["URL-encoded", each((byte) => `%${hex(byte)}`)],
    ["as escapes", each((byte) => `\\x${hex(byte)}`)],
    ["as escapes of JSON", each((byte) => `\\u00${hex(byte)}`)],
    ["as entities", each((byte) => `&#${byte};`)],
    ["as numbers", `[${[...bytes].join(", ")}]`],
    ["reversed", Array.from(secret).reverse().join("")],
    [
      "shifted by 13 letters",
      secret.replace(/[a-z]/gi, (c) => String.fromCharCode(c.charCodeAt(0) + (/[a-m]/i.test(c) ? 13 : -13))),
    ],
    ["without its first seven characters", secret.slice(7)],
    ["without its last seven characters", secret.slice(0, -7)],
    ["as sixteen characters of its middle", `a${secret.slice(11, 27)}z`],
    ["as a part of it in base64", Buffer.from(secret.slice(10)).toString("base64")],
    ["as a part of it in hex", Buffer.from(secret.slice(4, 30)).toString("hex")],
    ["as a part of it, reversed", Array.from(secret.slice(9)).reverse().join("")],
  ];
}
