import { describe, expect, it } from "vitest";
import { compareLink } from "../../src/delivery/compare-link.ts";
import { pullRequestBody } from "../../src/delivery/pull-request.ts";
import { pull } from "./given-texts.ts";

describe("the compare link", () => {
  const place = { serverUrl: "https://github.com", owner: "octo", repo: "demo", base: "main" };

  it("fills in title and body", () => {
    const link = new URL(
      compareLink({ ...place, branch: "agent/7-s", title: "Fix (it)", bodies: ["Why & how"] }),
    );
    expect(link.pathname).toBe("/octo/demo/compare/main...agent/7-s");
    expect(link.searchParams.get("title")).toBe("Fix (it)");
    expect(link.searchParams.get("body")).toBe("Why & how");
    expect(link.href).not.toMatch(/[()]/);
  });

  it("cuts the model's account before the evidence", () => {
    const facts = { ...pull, summary: "word ".repeat(5000) };
    const bodies = [pullRequestBody(facts), pullRequestBody(facts, 300)] as const;
    const link = compareLink({ ...place, branch: "b", title: "t", bodies: [...bodies] });
    expect(new URL(link).searchParams.get("body")).toBe(bodies[1]);
    expect(bodies[1]).toContain("### Look at these closely");
  });

  it("stays short enough for a browser and says that it was cut", () => {
    const link = compareLink({ ...place, branch: "b", title: "t", bodies: ["👩‍💻é ".repeat(20_000)] });
    expect(link.length).toBeLessThanOrEqual(7500);
    expect(link.length).toBeGreaterThan(7400);
    expect(new URL(link).searchParams.get("body")).toMatch(/Cut: the link could not hold all of it\.\)$/);
  });
});
