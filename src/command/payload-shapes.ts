import * as v from "valibot";

// Only what is used is named; GitHub adds keys at any time, so other keys are let through unread.

const id = v.pipe(v.number(), v.safeInteger(), v.minValue(1));
const account = v.object({ login: v.string(), id, type: v.string() });
const repository = v.object({ id });

const thread = v.object({
  number: id,
  title: v.string(),
  body: v.optional(v.nullable(v.string())),
  user: v.nullable(account),
  state: v.picklist(["open", "closed"]),
  locked: v.optional(v.boolean()),
  pull_request: v.optional(v.nullable(v.object({}))),
});

export type ThreadShape = v.InferOutput<typeof thread>;

/** `issue_comment`, on issues and on pull requests. */
export const commentPayload = v.object({
  repository,
  sender: account,
  issue: thread,
  comment: v.object({
    id,
    body: v.string(),
    user: v.nullable(account),
    created_at: v.string(),
    updated_at: v.string(),
  }),
});

export const dispatchPayload = v.object({ repository, sender: account });

/** A scheduled run's payload is hardly more than the cron line. */
export const schedulePayload = v.object({
  schedule: v.optional(v.string()),
  repository: v.optional(repository),
});

export const runPayload = v.object({
  repository,
  workflow_run: v.object({ head_repository: v.nullable(v.object({ id, full_name: v.string() })) }),
});
