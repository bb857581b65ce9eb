import { TidepoolError } from '#libs/core/errors.js';
import type { OwnVersion } from '#libs/pipeline/epochs/next-epoch.js';
import { acceptedCutRecord, readEpochRecords } from '#libs/pipeline/epochs/served-epoch.js';
import type { Operations } from '#libs/platform/admin-protocol.js';
import { epochsTopic } from '#libs/protocol/topics.js';
import type { OperationDeps } from '../operation-deps.js';
import { wholeNumber } from '../whole-number.js';
import { planChain } from './plan-chain.js';
import type { ChainPlan } from './upgrade-plan.js';

/**
 * `upgrade --plan` and `upgrade --accept-cut`. What a version would build is asked with what that version is: so a running
 * instance of another version answers for the one that asks.
 */
export function upgradeOperations(deps: OperationDeps): Operations {
  const { log, stateDir } = deps;
  return {
    'upgrade.plan': async (args): Promise<{ chains: ChainPlan[] }> => {
      const store = await deps.store();
      const chains: ChainPlan[] = [];
      for (const [chain, own] of Object.entries(args.chains as Record<string, OwnVersion>)) {
        chains.push(await planChain({ log, store, stateDir }, chain, own, args.tables as string[]));
      }
      return { chains };
    },
    'upgrade.accept-cut': async (args) => {
      const chain = String(args.chain);
      const startHeight = wholeNumber(args.height, 'HEIGHT');
      const known = (await log.describe()).some(({ name }) => name === epochsTopic.name);
      if (!known || (await readEpochRecords(log, chain)).served === null) {
        throw new TidepoolError('no_cut', `${chain}: nothing is served yet, there is no cut to accept`);
      }
      const writer = await log.openWriter(`operator.${chain}`);
      try {
        await writer.append([acceptedCutRecord(chain, startHeight)]);
      } finally {
        await writer.close();
      }
      return { chain, startHeight };
    },
  };
}
