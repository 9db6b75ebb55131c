// The Git Data API's refs, in any namespace, with git's own compare-and-swap underneath.
import {
  type Answer,
  answer,
  type Call,
  type Handlers,
  listAnswer,
  notFound,
  refuse,
  textOf,
} from "./answer.ts";
import { ask, type Ref, refNamed, refsUnder, typeOf, zeroId } from "./repository-reads.ts";
import type { RestRef } from "./rest-types.ts";
import { apiUrl, nodeId } from "./shapes.ts";
import type { World } from "./world.ts";

/** `changed` runs after every change of a ref, before it is answered. */
export function gitRefHandlers(world: World, changed: () => Promise<void>): Handlers {
  return {
    "git/get-ref": async ({ params }) => {
      const ref = await refNamed(world, `refs/${params["ref"]}`);
      return ref ? answer(200, refShape(world, ref)) : notFound();
    },
    "git/list-matching-refs": async ({ params, url }) => {
      const refs = await refsUnder(world, `refs/${params["ref"]}`);
      return listAnswer(
        url,
        refs.map((ref) => refShape(world, ref)),
      );
    },
    "git/create-ref": (call) => createRef(world, call, changed),
    "git/update-ref": (call) => updateRef(world, call, changed),
    "git/delete-ref": async ({ params }) => {
      const name = `refs/${params["ref"]}`;
      if (isOwnedByGitHub(name)) return refuse(422, "Reference cannot be updated");
      const ref = await refNamed(world, name);
      if (!ref) return refuse(422, "Reference does not exist");
      if ((await ask(world, "update-ref", "-d", name, ref.sha)) === undefined) {
        return refuse(422, "Reference does not exist");
      }
      await changed();
      return answer(204);
    },
  };
}

async function createRef(world: World, call: Call, changed: () => Promise<void>): Promise<Answer> {
  const name = textOf(call, "ref") ?? "";
  const sha = textOf(call, "sha") ?? "";
  if (!name.startsWith("refs/") || name.split("/").length < 3) {
    return refuse(422, "Reference name must start with 'refs/' and have at least two slashes");
  }
  if ((await ask(world, "check-ref-format", name)) === undefined)
    return refuse(422, "Reference name is invalid");
  if (isOwnedByGitHub(name)) return refuse(422, "Reference cannot be created");
  const type = await typeOf(world, sha);
  if (type === undefined) return refuse(422, "Object does not exist");
  if (name.startsWith("refs/heads/") && type !== "commit") return refuse(422, "Reference update failed");
  // The old value of all zeroes makes git refuse when the ref exists, however close the race.
  if ((await ask(world, "update-ref", name, sha, zeroId)) === undefined) {
    const exists = (await refNamed(world, name)) !== undefined;
    return refuse(422, exists ? "Reference already exists" : "Reference update failed");
  }
  await changed();
  return answer(201, refShape(world, { name, sha, type }));
}

async function updateRef(world: World, call: Call, changed: () => Promise<void>): Promise<Answer> {
  const name = `refs/${call.params["ref"]}`;
  const sha = textOf(call, "sha") ?? "";
  const ref = await refNamed(world, name);
  if (!ref) return refuse(422, "Reference does not exist");
  if (isOwnedByGitHub(name)) return refuse(422, "Reference cannot be updated");
  const type = await typeOf(world, sha);
  if (type === undefined) return refuse(422, "Object does not exist");
  const forced = call.body["force"] === true;
  if (!forced && (await ask(world, "merge-base", "--is-ancestor", ref.sha, sha)) === undefined) {
    return refuse(422, "Update is not a fast forward");
  }
  if ((await ask(world, "update-ref", name, sha, ref.sha)) === undefined)
    return refuse(422, "Reference update failed");
  await changed();
  return answer(200, refShape(world, { name, sha, type }));
}

/** Pull request refs are read-only for everyone. */
function isOwnedByGitHub(name: string): boolean {
  return name.startsWith("refs/pull/");
}

function refShape(world: World, { name, sha, type }: Ref): RestRef {
  return {
    ref: name,
    node_id: nodeId("REF", Number.parseInt(sha.slice(0, 8), 16)),
    url: apiUrl(world, `/git/${name}`),
    object: { type, sha, url: apiUrl(world, `/git/${type}s/${sha}`) },
  };
}
