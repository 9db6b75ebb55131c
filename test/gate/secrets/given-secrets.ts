// Values of the shape of credentials. They are put together here, so that no text of the repository looks like one.
const letters = "q7Rz2LmXw9Kt4VbNc8Ys1HdGf6Jp3TuEa5Wo0QiMxDgBkZrSvCnFhPyUeA";

/** `length` characters that look drawn by lot, and are the same each time. */
export function drawn(prefix: string, length: number, from = letters): string {
  const picked = Array.from({ length }, (_, at) => from[(at * 31 + at * at * 7 + 3) % from.length]);
  return prefix + picked.join("");
}

const hex = (length: number) => drawn("", length, "4f9a07c3be1d82656d");
const upper = (length: number) => drawn("", length, "Q7RZ2LMXW3KT4VBNCYSHDGFJPUEAO5I6");
const digits = (length: number) => drawn("", length, "8305192746");
const token = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
const header = token({ alg: "HS256", typ: "JWT" });
const dashes = "-".repeat(5);

/** Kind, text, and the secret in it. */
export function hits(): readonly (readonly [kind: string, text: string, secret: string])[] {
  const whole = (kind: string, secret: string) => [kind, `const it = f(${secret});`, secret] as const;
  const inside = (kind: string, before: string, secret: string, after = "") =>
    [kind, `${before}${secret}${after}`, secret] as const;
  const key = `${dashes}BEGIN RSA PRIVATE KEY${dashes}\n${drawn("", 64)}\n${drawn("", 20)}`;
  const inJson = `${dashes}BEGIN PRIVATE KEY${dashes}\\n${drawn("", 64)}\\n${drawn("", 20)}`;
  // A key of OpenSSH begins with many zeros, which base64 writes as many times the letter A.
  const openSsh = `${dashes}BEGIN OPENSSH PRIVATE KEY${dashes}\nb3BlbnNzaC1rZXktdjE${"A".repeat(12)}${drawn("", 33)}\n${drawn("", 64)}\n${dashes}END OPENSSH PRIVATE KEY${dashes}`;
  const indented = `${dashes}BEGIN RSA PRIVATE KEY${dashes}\n        MIIC${drawn("", 60)}\n        ${drawn("", 64)}\n        ${dashes}END RSA PRIVATE KEY${dashes}`;
  const uuid = `8f3c1d20-6b9e-4a57-9c04-${hex(12)}`;
  return [
    inside("a private key", "key:\n", key, `\n${dashes}END RSA PRIVATE KEY${dashes}\n`),
    inside("a private key", '{"private_key": "', inJson, `\\n${dashes}END PRIVATE KEY${dashes}\\n"}`),
    ...["ghp_", "gho_", "ghu_", "ghs_", "ghr_"].map((prefix) => whole("a GitHub token", drawn(prefix, 36))),
    whole("a GitHub token", `${drawn("github_pat_", 22)}_${drawn("", 59)}`),
    whole("a GitLab token", drawn("glpat-", 20)),
    whole("an AWS access key", `AKIA${upper(16)}`),
    inside("an AWS secret key", "aws_secret_access_key = ", drawn("", 40)),
    whole("a Google API key", drawn("AIza", 35)),
    whole("a Google client secret", drawn("GOCSPX-", 28)),
    inside("an Azure storage key", "AccountName=a;AccountKey=", `${drawn("", 86)}==`, ";End"),
    whole("an Azure client secret", `${drawn("", 3)}8Q~${drawn("", 34)}`),
    whole("a Slack token", `xoxb-${digits(11)}-${digits(12)}-${drawn("", 24)}`),
    whole("a Slack token", `xapp-1-${upper(11)}-${digits(12)}-${hex(64)}`),
    inside(
      "a Slack webhook",
      "https://",
      `hooks.slack.com/services/T${upper(9)}/B${upper(9)}/${drawn("", 24)}`,
    ),
    whole("a Stripe key", drawn("sk_live_", 24)),
    whole("a Stripe key", drawn("rk_live_", 99)),
    whole("a Stripe webhook secret", drawn("whsec_", 32)),
    whole("an npm token", drawn("npm_", 36)),
    whole("a PyPI token", drawn("pypi-AgEIcHlwaS5vcmc", 80)),
    whole("an Anthropic key", drawn("sk-ant-api03-", 95)),
    whole("an OpenAI key", `${drawn("sk-", 20)}T3BlbkFJ${drawn("", 20)}`),
    whole("an OpenAI key", `${drawn("sk-proj-", 58)}T3BlbkFJ${drawn("", 58)}`),
    whole("a Hugging Face token", drawn("hf_", 34, "qRzLmXwKtVbNcYsHdGfJpTuEaWoQiMx")),
    whole("a SendGrid key", `${drawn("SG.", 22)}.${drawn("", 43)}`),
    whole("a DigitalOcean token", `dop_v1_${hex(64)}`),
    whole("a Docker token", drawn("dckr_pat_", 27)),
    whole("a Shopify token", `shpat_${hex(32)}`),
    whole("a JSON web token", `${header}.${token({ sub: "u-829", exp: 1893456000 })}.${drawn("", 43)}`),
    whole("a GitHub token", `ghs_${digits(6)}_${header}.${token({ iss: 829 })}.${drawn("", 86)}`),
    inside("an npm token", "//registry.npmjs.org/:_authToken=", uuid, "\n"),
    whole(
      "a 1Password token",
      `ops_${token({ signInAddress: drawn("", 90), n: "a" }).replace(/.{0,2}$/, "fQ")}`,
    ),
    whole("a Cloudflare token", `${drawn("cfut_", 40)}${hex(8)}`),
    whole("a Databricks token", `dapi4f9a07c3be1d${hex(20)}`),
    whole("a Figma token", drawn("figd_", 40)),
    whole("a Grafana token", drawn("glc_", 60)),
    whole("a Grafana token", `${drawn("glsa_", 32)}_${hex(8)}`),
    whole("a Groq key", drawn("gsk_", 52)),
    whole("a Linear key", drawn("lin_api_", 40)),
    whole("a Notion token", `ntn_${digits(11)}${drawn("", 35)}`),
    whole("a Tailscale key", `tskey-auth-${drawn("", 12)}-${drawn("", 32)}`),
    whole("a Vault token", drawn("hvs.", 95)),
    whole("a Vercel token", drawn("vcp_", 24)),
    inside("a private key", "", openSsh),
    inside("a private key", "const key = `", indented, "`;"),
    inside(
      "a GitHub token",
      "// secretlint-disable\nconst it = '",
      drawn("ghp_", 36),
      "'; // secretlint-disable-line",
    ),
    inside("a password in an address", "postgres://app:", drawn("", 18), "@db.internal/app"),
    inside("a value that looks like a secret", 'const apiKey = "', drawn("", 32), '";'),
    inside("a value that looks like a secret", '{ "client_secret": "', drawn("", 40), '" }'),
    inside("a value that looks like a secret", "export SESSION_SECRET=", drawn("", 32), "\n"),
  ];
}

/** What there is instead, and a text with it. */
export function nearMisses(): readonly (readonly [what: string, text: string])[] {
  const key = `${dashes}BEGIN RSA PRIVATE KEY${dashes}\n`;
  return [
    ["a public key", `${dashes}BEGIN PUBLIC KEY${dashes}\n${drawn("", 64)}\n${drawn("", 20)}\n`],
    ["the first line of a private key alone", `${key}...\n`],
    ["a private key of x", `${key}${"x".repeat(64)}\n`],
    ["a GitHub token that is too short", drawn("ghp_", 35)],
    ["another prefix than GitHub's", drawn("ghx_", 36)],
    ["a GitHub token of x", `ghp_${"x".repeat(36)}`],
    ["a GitHub token that counts up", `ghp_${"abcdefghijklmnopqrstuvwxyz0123456789"}`],
    ["a fine-grained token without its second part", `${drawn("github_pat_", 22)}_${drawn("", 20)}`],
    ["a GitLab token that is too short", drawn("glpat-", 12)],
    ["the access key of AWS's documentation", "AKIAIOSFODNN7EXAMPLE"],
    ["a longer word that begins like an AWS key", `AKIA${upper(24)}`],
    [
      "the secret key of AWS's documentation",
      "aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
    ],
    ["a digest beside the name of an AWS secret", `# aws secret ${hex(40)}`],
    ["a Google API key that is too long", drawn("AIza", 39)],
    ["a Google client secret that is too short", drawn("GOCSPX-", 20)],
    ["the key of the storage emulator", `AccountKey=Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1${drawn("", 54)}==;`],
    ["an account key that is too short", `AccountKey=${drawn("", 60)}==;`],
    ["a tilde without an Azure client secret", `Q~${drawn("", 34)}`],
    ["a Slack token with a placeholder", "xoxb-your-token-goes-here-please"],
    ["a Slack app token that is too short", `xapp-1-${upper(11)}-${digits(12)}-${hex(12)}`],
    [
      "the page of a Slack webhook",
      "https://hooks.slack.com/services/T00000000/B00000000/XXXXXXXXXXXXXXXXXXXXXXXX",
    ],
    ["a Stripe key for tests", drawn("sk_test_", 24)],
    ["a Stripe webhook secret that is too short", drawn("whsec_", 12)],
    ["a variable of npm", "npm_config_registry_of_the_whole_organisation_is_set"],
    [
      "a variable of npm that is as long as a token",
      `npm_${"package_config_directory_for_the_reports".slice(0, 36)}`,
    ],
    ["a token of npm that comes from elsewhere", "//registry.npmjs.org/:_authToken=$" + "{NPM_TOKEN}\n"],
    ["code that writes a token of npm", "`_authToken=` + process.env.NPM_TOKEN_OF_THE_REGISTRY;"],
    ["a name that begins like a key of Vercel", "vcr_cassettesOfTheWholeLibrary"],
    ["a name that begins like a key of Linear", "lin_api_key_of_the_workspace_that_is_tested"],
    ["a password of a local database", "mysql://root:my-secret-pw@127.0.0.1:3306/app"],
    ["a user and a password in an example", "http://user:pass@service.test.com/"],
    ["a package of PyPI", "pypi-Agent-tools"],
    ["an Anthropic key with a placeholder", `sk-ant-api03-${"x".repeat(95)}`],
    ["an OpenAI key without its mark", drawn("sk-", 48)],
    ["a Hugging Face name", "hf_transformers_tokenizer"],
    ["a SendGrid key that is too short", "SG.abc.def"],
    ["a DigitalOcean token that is too short", `dop_v1_${hex(20)}`],
    ["a Docker token that is too short", drawn("dckr_pat_", 12)],
    ["a Shopify token that is too short", `shpat_${hex(12)}`],
    [
      "the JSON web token of the standard's page",
      `${header}.${token({ sub: "1234567890", name: "John Doe" })}.${drawn("", 43)}`,
    ],
    ["three parts that are no JSON web token", `eyJhbGciOiJ.eyJzdWIiOiIx.${drawn("", 43)}`],
    ["a plain password in an address", "postgres://postgres:postgres-password@localhost/app"],
    ["a variable in an address", "https://user:$" + "{PASSWORD}@host/"],
    ["a name where a secret is expected", 'const token = "authentication-token-of-the-user";'],
    ["a path where a secret is expected", 'secret: "./config/Secrets-2024/of/this/service.json"'],
    ["a secret that comes from elsewhere", "API_KEY=$" + "{{ secrets.API_KEY }}\n"],
    ["a digest of SHA-256", `"integrity": "sha256-${drawn("", 43)}="`],
    ["another name before a value", `const colour = "${drawn("", 32)}";`],
  ];
}
