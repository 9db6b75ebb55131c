import { getInput, setSecret } from "@actions/core";
import { formsOf } from "../../base/masking.ts";

const inputs = ["anthropic-api-key", "github-token", "session-key"] as const;
export type SecretInput = (typeof inputs)[number];

/** The secrets of this run by the input they came in; an unset one is empty. */
export type Secrets = Readonly<Record<SecretInput, string>>;

/**
 * Reads the secret inputs, has the runner mask them and every form they travel in, and takes them out of the
 * environment, so that no child process is given one by accident. Comes before anything else is read or said.
 */
export function takeSecrets(): Secrets {
  const secrets = { "anthropic-api-key": "", "github-token": "", "session-key": "" };
  for (const input of inputs) {
    secrets[input] = getInput(input);
    for (const form of formsOf(secrets[input])) setSecret(form);
    delete process.env[`INPUT_${input.toUpperCase()}`];
  }
  return secrets;
}
