import type { Behaviour, Capability, Proof, Spans } from './behaviour.js';
import {
  blocksAs,
  metaLater,
  skips,
  withOtherAmount,
  withOtherParent,
  withoutCallsBefore,
  withoutTransaction,
} from './false-blocks-of-solana.js';
import { backends, stuckAt } from './heads.js';
import { after, both, methods, olderThan, widerThan } from './questions.js';
import { answers, longAnswers, type Matches, type Refusing, refuses } from './refusing.js';

/** What Solana nodes do. Limits and words are those of providers and node programs; slots are shares of the chain. */
const lacks = (name: string, only: Spans, matches: Matches, refusing: Refusing): Behaviour => ({
  ...{ name, family: 'solana', only },
  rule: refuses(matches, refusing),
});

const range = (name: string, most: number, refusing: Refusing): Behaviour => ({
  ...{ name: `range: ${name}`, family: 'solana', cost: { range: most } },
  rule: refuses(widerThan(most), refusing),
});

const fails = (name: string, matches: Matches, refusing: Refusing): Behaviour => ({
  ...{ name: `health: ${name}`, family: 'solana' },
  rule: refuses(matches, refusing),
});

const falsifies = (name: string, caughtBy: Proof, rule: Behaviour['rule']): Behaviour => ({
  ...{
    name: `false: ${name}`,
    family: 'solana',
    only: { blocks: null },
    falsifies: { about: ['blocks'], caughtBy },
    rule,
  },
});

const from = (share: number, ...capabilities: Capability[]): Spans =>
  Object.fromEntries(capabilities.map((capability) => [capability, [share, 1]]));

const blocks: Matches = methods('getBlock');

// biome-ignore format: one line a behaviour
export const SOLANA_BEHAVIOURS: readonly Behaviour[] = [
  range('Agave', 40, { code: -32602, message: 'Slot range too large; max 40' }),
  range('Chainstack', 20, { code: -32602, message: 'Slot range limit exceeded, at most 20 slots' }),
  range('QuickNode', 30, { status: 413, code: -32602, message: 'getBlocks is limited to a 30 range' }),
  range('no answer at all', 25, { without: 'silence' }),
  range('504 of a gateway', 25, { status: 504, text: '<html><head><title>504 Gateway Time-out</title></head></html>' }),
  range('in Spanish', 25, { code: -32000, message: 'Demasiados slots en una sola consulta' }),

  { name: 'size: bytes of a list', family: 'solana', cost: { list: 2 }, rule: longAnswers(20_000, { status: 413, text: 'Payload Too Large' }, ({ calls }) => calls.length > 1) },

  lacks('method: no getBlocks', { slots: null }, methods('getBlocks', 'getBlocksWithLimit'), { code: -32601, message: 'Method not found' }),
  lacks('method: no getBlocksWithLimit', {}, methods('getBlocksWithLimit'), { code: -32601, message: '{method} is not available on this endpoint' }),
  lacks('method: no getTransaction', {}, methods('getTransaction', 'getSignatureStatuses'), { status: 403, code: -32601, message: 'the method {method} does not exist/is not available' }),
  lacks('method: no blocks (Triton)', { blocks: null }, blocks, { status: 410, code: 410, message: 'The RPC call or parameters have been disabled.' }),
  lacks('method: no first available block', {}, methods('getFirstAvailableBlock', 'minimumLedgerSlot'), { code: -32601, message: 'Method not found' }),
  lacks('plan: Helius, blocks when paid', { blocks: null }, blocks, { status: 403, code: -32403, message: 'The method {method} is only available on paid plans. Please upgrade.' }),
  lacks('plan: old blocks when paid', from(0.5, 'blocks'), both(blocks, olderThan(0.5)), { status: 403, code: -32002, message: 'Archive, Debug and Trace requests are not available on your current plan. Upgrade your plan to enable this feature.' }),

  lacks('pruned: Agave, cleaned up', from(0.5, 'blocks', 'slots'), both(methods('getBlock', 'getBlocks', 'getBlocksWithLimit'), olderThan(0.5)), { code: -32001, message: 'Block 10 cleaned up, does not exist on node. First available block: 60' }),
  lacks('pruned: Agave, blocks alone', from(0.6, 'blocks'), both(blocks, olderThan(0.6)), { code: -32001, message: 'Block 10 cleaned up, does not exist on node. First available block: 60' }),
  lacks('pruned: no history', from(0.5, 'blocks'), both(blocks, olderThan(0.5)), { code: -32011, message: 'Transaction history is not available from this node' }),
  lacks('pruned: said to be skipped', from(0.5, 'blocks'), both(blocks, olderThan(0.5)), { code: -32009, message: 'Slot 10 was skipped, or missing in long-term storage' }),
  { name: 'pruned: old blocks are null', family: 'solana', only: from(0.5, 'blocks'), rule: answers(both(blocks, olderThan(0.5)), null) },
  { name: 'pruned: old lists of slots are empty', family: 'solana', only: from(0.5, 'slots'), falsifies: { about: ['slots'], caughtBy: 'counts' }, rule: answers(both(methods('getBlocks'), olderThan(0.5)), []) },
  { name: 'pruned: old calls are null', family: 'solana', only: from(0.5, 'blocks'), rule: withoutCallsBefore(0.5) },

  fails('behind, now and then', after(7, 1), { code: -32005, message: 'Node is behind by 150 slots' }),
  fails('unhealthy, now and then', after(11, 2), { code: -32005, message: 'Node is unhealthy' }),
  fails('long-term storage fails', both(blocks, after(9, 1)), { code: -32019, message: 'Failed to query long-term storage; please try again' }),
  fails('Triton, unavailable', after(14, 2), { status: 503, shape: 'object', code: 503, message: 'Service unavailable' }),

  { name: 'head: two machines, one 6 behind', family: 'solana', falsifies: { about: ['slots'], caughtBy: 'counts' }, rule: backends(0, 6) },
  { name: 'head: three machines, up to 20 behind', family: 'solana', falsifies: { about: ['slots'], caughtBy: 'counts' }, rule: backends(0, 3, 20) },
  { name: 'head: a head that stays', family: 'solana', only: { blocks: [0, 0.8], slots: [0, 0.8] }, newest: 0.8, rule: stuckAt(0.8) },

  { name: 'form: outcomes come later', family: 'solana', rule: metaLater(2) },

  falsifies('a transaction omitted', 'peers', blocksAs(0.3, withoutTransaction)),
  falsifies('an altered amount', 'peers', blocksAs(0.3, withOtherAmount)),
  falsifies('another parent', 'counts', blocksAs(0.2, withOtherParent)),
  { name: 'false: blocks said to be skipped', family: 'solana', only: { blocks: null, slots: null }, falsifies: { about: ['blocks', 'slots'], caughtBy: 'counts' }, rule: skips(0.2) },
];
