import { describe, expect, it } from "vitest";
import { readRunsMarker, runsMarkerOf } from "../../src/delivery/marker.ts";
import { sessionId } from "../kit/given.ts";
import { key, session } from "./given-texts.ts";

describe("markers", () => {
  it("name the runs only when they are ours", () => {
    const ours = runsMarkerOf(key, session, ["5", "9"]);
    expect(readRunsMarker(key, session, `x\n${ours}\ny`)).toEqual(["5", "9"]);
    expect(readRunsMarker(key, session, ours.replace("5,9", "5,8"))).toBeNull();
    expect(readRunsMarker(key, sessionId("sffffffffffff"), ours)).toBeNull();
    expect(readRunsMarker(key, session, "")).toBeNull();
  });
});
