import { strictMask } from "../base/disguises.ts";
import type { Mask } from "../base/masking.ts";
import type { Host } from "./host.ts";

/**
 * A host that is told no secret of this run, whatever a text was made of: the last door before GitHub, for titles,
 * bodies, comments and the messages of commits. A file is not changed on its way out; the gate refuses it.
 */
export function maskedHost(host: Host, plain: Mask): Host {
  const mask = strictMask(plain);
  const { branch, pullRequest, comment, checkRun } = host;
  return {
    allowance: host.allowance,
    thread: host.thread,
    branch: {
      ...branch,
      commit: (commit) => branch.commit({ ...commit, message: mask(commit.message) }),
    },
    pullRequest: {
      ...pullRequest,
      open: (pull) => pullRequest.open({ ...pull, title: mask(pull.title), body: mask(pull.body) }),
      update: (number, { body }) => pullRequest.update(number, { body: mask(body) }),
    },
    comment: {
      ...comment,
      create: (number, body) => comment.create(number, mask(body)),
      update: (id, body) => comment.update(id, mask(body)),
    },
    checkRun: checkRun && {
      ...checkRun,
      create: (run) =>
        checkRun.create({
          ...run,
          title: mask(run.title),
          summary: mask(run.summary),
          annotations: run.annotations.map((one) => ({
            ...one,
            title: mask(one.title),
            message: mask(one.message),
          })),
        }),
    },
  };
}
