import type { PlanRecord } from '#libs/protocol/accounts/account-record.js';

/** Plans that are there without anybody making them; a plan of the same name in the topic replaces one. */
export const standardPlans: readonly PlanRecord[] = [
  { kind: 'plan', name: 'Basic', rate: 5, credits: null },
  { kind: 'plan', name: 'Pro', rate: 20, credits: null },
  { kind: 'plan', name: 'Enterprise', rate: 100, credits: null },
];

/** Requests a second of an account without a plan. */
export const RATE_WITHOUT_PLAN = 10;
