import { join } from 'node:path';
import { truncateBlocks } from '#libs/app/operations/truncate-blocks.js';
import { TidepoolError } from '#libs/core/errors.js';
import { foldHomeIn } from '#libs/pipeline/fold/fold-home.js';
import { foldVersion } from '#libs/pipeline/fold/fold-version.js';
import { sourceDir } from '#libs/pipeline/state/saved/source-dir.js';
import { sourceNeedsFrom } from '#libs/pipeline/state/saved/source-needs.js';
import type { Operations } from '#libs/platform/admin-protocol.js';
import type { OperationDeps } from './operation-deps.js';
import { requireTopic } from './topic-by-name.js';
import { wholeNumber } from './whole-number.js';

const BLOCKS = /^blocks\.([a-z0-9-]+)\.e(\d+)$/;

/** `topics truncate`: drops the beginning of `blocks` where neither the fold nor the source needs it any more. */
export function truncateOperations({ log, dataDir }: OperationDeps): Operations {
  return {
    'topics.truncate': async (args) => {
      const topic = requireTopic(args.topic);
      const before = wholeNumber(args.before, '--before');
      const [, chain, epoch] = BLOCKS.exec(topic.name) ?? [];
      if (chain === undefined || epoch === undefined) {
        throw new TidepoolError('usage', `${topic.name} cannot be truncated: only blocks.<chain>.e<epoch> can`);
      }
      // A running source and fold hold positions that only they know.
      if (dataDir === undefined) throw new TidepoolError('instance_running', 'stop the instance first');
      if (!(await log.describe()).some(({ name }) => name === topic.name)) {
        throw new TidepoolError('no_topic', `there is no topic ${topic.name}; tidepool topics ls lists what there is`);
      }
      const dir = await sourceDir(join(dataDir, 'source', chain), Number(epoch));
      const source = await sourceNeedsFrom(dir, chain, Number(epoch));
      const place = { chain, epoch: Number(epoch), foldVersion };
      const home = foldHomeIn(dataDir, place);
      const consumers = [{ name: 'the source', needsFrom: source }];
      return { topic: topic.name, ...(await truncateBlocks({ log, ...place, home, consumers }, before)) };
    },
  };
}
