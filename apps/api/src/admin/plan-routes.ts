import { AdminPlan, AdminPlanAnswer, AdminPlansAnswer } from '#libs/serve/contract/rest/admin-body.js';
import { logAway, wrongField } from './admin-errors.js';
import { type AdminRoute, adminRoute, fieldsOf } from './admin-route.js';

export const planRoutes: readonly AdminRoute[] = [
  adminRoute(
    {
      ...{ id: 'listPlans', method: 'GET', path: '/plans', summary: 'All plans' },
      ...{ answer: AdminPlansAnswer, errors: [logAway] },
    },
    (accounts) => accounts.look((book) => book.plans().map(({ kind: _, ...plan }) => plan)),
  ),
  adminRoute(
    {
      ...{ id: 'setPlan', method: 'POST', path: '/plans' },
      summary: 'Make a plan, or change one at once for all its accounts',
      ...{ body: [AdminPlan], answer: AdminPlanAnswer, errors: [wrongField, logAway] },
    },
    async (accounts, _, request) => {
      const { name, rate, credits } = fieldsOf(request, (fields) => ({
        name: fields.text('name'),
        rate: fields.whole('rate', 0, 1_000_000),
        credits: fields.wholeOrNull('credits', 0, Number.MAX_SAFE_INTEGER) ?? null,
      }));
      const { kind: _kind, ...plan } = await accounts.change((book) => book.setPlan(name, rate, credits));
      return plan;
    },
  ),
];
