/**
 * What follows when a change touches what could make a check pass that should not (tamper.ts): it is published with
 * each such place named, or it goes back to the model.
 */
export type TamperPolicy = (typeof tamperPolicies)[number];
export const tamperPolicies = ["flag", "refuse"] as const;

/**
 * What follows when the tests of a change do not prove the fix by a check with `proof: true`: it is published as a
 * draft that says so, or it goes back to the model.
 */
export type UnprovedPolicy = (typeof unprovedPolicies)[number];
export const unprovedPolicies = ["draft", "refuse"] as const;

/**
 * What follows when a check is red that was red on base, and not for more reasons: it is shown and not held against
 * the change, or it goes back to the model.
 */
export type AlreadyRedPolicy = (typeof alreadyRedPolicies)[number];
export const alreadyRedPolicies = ["show", "refuse"] as const;

/**
 * When checks run on base: beside the model's work, where the machine has a core to spare, or when the gate is reached,
 * for checks that cannot share a machine with it.
 */
export type BaselinePolicy = (typeof baselinePolicies)[number];
export const baselinePolicies = ["beside", "gate"] as const;
