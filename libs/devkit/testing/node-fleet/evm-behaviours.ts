import type { Behaviour, Capability, Proof, Request, Spans } from './behaviour.js';
import { widthOf } from './blocks-of-call.js';
import {
  alterAddress,
  alterAmount,
  cutCoveredTail,
  falseBlocks,
  falseLogs,
  falseReceipts,
  inventLog,
  omitMany,
  omitOne,
  otherBranch,
} from './false-logs.js';
import { inUpperCase, logsAs, newestOfRange, repeated, reversed, withMore, withoutRemoved } from './forms.js';
import { backends, stuckAt } from './heads.js';
import {
  anyLogsAbove,
  beyondHead,
  both,
  methods,
  moreLogsThan,
  olderThan,
  untilRequest,
  widerThan,
  withoutAddress,
} from './questions.js';
import { answers, longAnswers, type Matches, type Refusing, refuses } from './refusing.js';

/** What EVM nodes do. Limits and words are those of providers and node programs; heights are shares of the chain. */
const range = (name: string, most: number, refusing: Refusing): Behaviour => ({
  ...{ name: `range: ${name}`, family: 'evm', cost: { range: most } },
  rule: refuses(widerThan(most), refusing),
});

const results = (name: string, most: number, refusing: Refusing): Behaviour => ({
  ...{ name: `size: ${name}`, family: 'evm', cost: { range: 4 } },
  rule: refuses(moreLogsThan(most), refusing),
});

const lacks = (name: string, only: Spans, matches: Matches, refusing: Refusing): Behaviour => ({
  ...{ name, family: 'evm', only },
  rule: refuses(matches, refusing),
});

const pruned = (name: string, share: number, only: Spans, names: string[], refusing: Refusing): Behaviour =>
  lacks(`pruned: ${name}`, only, olderThan(share, ...names), refusing);

const lagging = (name: string, only: Spans, rule: Behaviour['rule']): Behaviour => ({
  ...{ name: `head: ${name}`, family: 'evm', only, falsifies: { about: ['logs'], caughtBy: 'counts' }, rule },
});

const falsifies = (name: string, about: Capability, caughtBy: Proof, rule: Behaviour['rule']): Behaviour => ({
  ...{ name: `false: ${name}`, family: 'evm', only: { [about]: null }, falsifies: { about: [about], caughtBy }, rule },
});

const form = (name: string, rule: Behaviour['rule']): Behaviour => ({ name: `form: ${name}`, family: 'evm', rule });

const upTo = (share: number): Spans => ({
  ...{ blocks: [0, share], logs: [0, share], receipts: [0, share], state: [0, share] },
});
const from = (share: number, ...capabilities: Capability[]): Spans =>
  Object.fromEntries(capabilities.map((capability) => [capability, [share, 1]]));

const severalBlocks = ({ calls }: Request): boolean => calls.length > 1 || calls.some((call) => widthOf(call) > 1);

const RECEIPTS = ['eth_getBlockReceipts', 'eth_getTransactionReceipt'];

// biome-ignore format: one line a behaviour
export const EVM_BEHAVIOURS: readonly Behaviour[] = [
  range('Alchemy free', 10, { status: 400, code: -32600, message: 'Under the Free tier plan, you can make eth_getLogs requests with up to a 10 block range. Based on your parameters, this block range should work: [{from}, {half}]. Upgrade to PAYG for expanded block range.' }),
  range('QuickNode free', 5, { status: 413, code: -32614, message: 'eth_getLogs is limited to a 5 range' }),
  range('dRPC free', 16, { status: 400, code: 35, message: 'ranges over 16 blocks are not supported on free plan' }),
  range('Ankr', 12, { code: -32600, message: 'block range is too wide' }),
  range('Chainstack', 10, { code: -32602, message: 'Block range limit exceeded. See more details at https://docs.chainstack.com/docs/limits#evm-range-limits.' }),
  range('Blast', 16, { code: -32600, message: 'eth_getLogs exceeds the range allowed for your plan (20 > 16).' }),
  range('Cloudflare', 8, { code: -32047, message: "Invalid eth_getLogs request. 'fromBlock'-'toBlock' range too large. Max range: 8" }),
  range('BlockPI', 10, { code: -32602, message: 'eth_getLogs is limited to 10 block range. Please check the parameter requirements at https://docs.blockpi.io/documentations/api-reference' }),
  range('PublicNode', 14, { status: 403, code: -32701, message: 'exceed maximum block range: 14' }),
  range('1RPC', 10, { code: -32602, message: 'eth_getLogs is limited to 0 - 10 blocks range' }),
  range('Merkle', 10, { code: -32602, message: 'eth_getLogs range is too large, max is 10 blocks' }),
  range('Avalanche', 7, { code: -32000, message: 'requested too many blocks from {from} to {to}, maximum is set to 7' }),
  range('Besu', 9, { code: -32005, message: 'Requested range exceeds maximum RPC range limit' }),
  range('NodeReal', 13, { code: -32005, message: 'exceed maximum block range: 13' }),
  range('in Spanish', 6, { status: 400, code: -32600, message: 'La consulta abarca demasiados bloques' }),
  range('in Chinese', 6, { code: -32000, message: '查询范围过大，请缩小区块范围' }),
  range('in capitals', 7, { status: 400, code: -32000, message: 'SPAN NOT ALLOWED' }),
  range('words that say nothing', 8, { code: -32000, message: 'request denied' }),
  range('504 of a gateway', 8, { status: 504, text: '<html><head><title>504 Gateway Time-out</title></head></html>' }),
  range('524 of Cloudflare', 8, { status: 524, text: '<!DOCTYPE html><html><head><title>A timeout occurred</title></head></html>' }),
  range('no answer at all', 8, { without: 'silence' }),
  range('a reset connection', 8, { without: 'reset' }),
  range('an answer that ends early', 8, { without: 'cut' }),
  range('deadline of Geth', 9, { code: -32000, message: 'context deadline exceeded' }),
  range('Geth, timed out', 9, { code: -32002, message: 'request timed out' }),
  range('Nethermind, timed out', 9, { code: -32016, message: 'Request was canceled due to enabled timeout.' }),
  { name: 'range: wide ones are cut without a word (Tenderly)', family: 'evm', cost: { range: 12 }, falsifies: { about: ['logs'], caughtBy: 'counts' }, rule: newestOfRange(12) },
  range('500 without words', 8, { status: 500, text: '' }),

  results('Infura', 40, { code: -32005, message: 'query returned more than 40 results. Try with this block range [{from}, {half}].' }),
  results('Alchemy', 50, { status: 400, code: -32602, message: 'Log response size exceeded. You can make eth_getLogs requests with up to a 2K block range and no limit on the response size, or you can request any block range with a cap of 10K logs in the response. Based on your parameters and the response size limit, this block range should work: [{from}, {half}]' }),
  results('LlamaNodes', 40, { code: -32602, message: 'query exceeds max results 40, retry with the range {from}-{half}' }),
  results('Nethermind', 45, { code: -32005, message: 'Too many logs requested. Max logs per response is 45.' }),
  results('Arbitrum', 45, { code: -32000, message: 'logs matched by query exceeds limit of 45' }),
  { name: 'size: proxyd, bytes', family: 'evm', cost: { range: 4, list: 4 }, rule: longAnswers(40_000, { code: -32020, message: 'backend response too large' }, severalBlocks) },
  { name: 'size: 1RPC, bytes', family: 'evm', cost: { range: 4, list: 4 }, rule: longAnswers(40_000, { code: -32603, message: 'response size should not greater than 40000 bytes' }, severalBlocks) },
  lacks('size: fewer logs than a block has', { logs: null }, anyLogsAbove(1), { code: -32005, message: 'query returned more than 1 results' }),

  lacks('plan: QuickNode, archive', from(0.5, 'blocks', 'logs', 'receipts', 'state'), olderThan(0.5), { status: 403, code: -32000, message: 'Archive requests are not available on this plan; contact support@quicknode.com' }),
  lacks('plan: Chainstack, archive', from(0.6, 'logs', 'receipts'), olderThan(0.6, 'eth_getLogs', ...RECEIPTS), { status: 403, code: -32002, message: 'Archive, Debug and Trace requests are not available on your current plan. Upgrade your plan to enable this feature.' }),
  lacks('plan: logs only when paid', { logs: null }, methods('eth_getLogs'), { status: 401, code: -32000, message: 'method {method} is not included in your current plan - see https://www.quicknode.com/pricing' }),
  lacks('logs: PublicNode, an address is wanted', { logs: null }, withoutAddress, { status: 403, code: -32701, message: 'Please specify an address in your request or, to remove restrictions, order a dedicated full node here: https://www.allnodes.com/eth/host' }),

  lacks('method: no receipts of blocks (Geth)', { receipts: null }, methods(...RECEIPTS), { code: -32601, message: 'the method {method} does not exist/is not available' }),
  lacks('method: no receipts of blocks (Nethermind)', { receipts: null }, methods(...RECEIPTS), { code: -32601, message: "The method '{method}' is not supported." }),
  lacks('method: no receipts of blocks (proxyd)', { receipts: null }, methods('eth_getBlockReceipts'), { status: 403, code: -32001, message: 'rpc method is not whitelisted' }),
  lacks('method: no receipts of blocks (Besu)', { receipts: null }, methods('eth_getBlockReceipts'), { code: -32604, message: 'Method not enabled' }),
  lacks('method: no logs (Geth)', { logs: null }, methods('eth_getLogs'), { code: -32601, message: 'the method {method} does not exist/is not available' }),
  lacks('method: no logs, in other words', { logs: null }, methods('eth_getLogs'), { code: -32000, message: '{method} has been turned off by the operator of this node' }),
  lacks('method: no calls', { state: null }, methods('eth_call'), { code: -32601, message: 'the method {method} does not exist/is not available' }),
  lacks('method: no final block', {}, (call) => call.params[0] === 'finalized', { code: -32000, message: 'finalized block not found' }),

  pruned('Geth, history', 0.5, from(0.5, 'blocks', 'logs', 'receipts', 'state'), [], { code: 4444, message: 'pruned history unavailable' }),
  pruned('Erigon, logs', 0.6, from(0.6, 'logs', 'receipts'), ['eth_getLogs', ...RECEIPTS], { code: -32000, message: 'old data not available due to pruning: requested block {from}, history is available from block 90' }),
  pruned('Reth, receipts', 0.7, from(0.7, 'receipts'), RECEIPTS, { code: -32603, message: 'receipts at this block are pruned' }),
  pruned('bsc, all', 0.6, from(0.6, 'blocks', 'logs', 'receipts', 'state'), [], { code: -32000, message: 'historical data is pruned, only the latest 90000 blocks are kept' }),
  pruned('Geth, state', 0.85, from(0.85, 'state'), ['eth_call'], { code: -32000, message: 'missing trie node 5a1c (path ) state 0x5a1c is not available, not found' }),
  pruned('Besu, state', 0.85, from(0.85, 'state'), ['eth_call'], { code: -32000, message: 'World state unavailable' }),
  { name: 'pruned: old blocks are null', family: 'evm', only: from(0.5, 'blocks', 'receipts'), rule: answers(olderThan(0.5, 'eth_getBlockByNumber', 'eth_getBlockByHash', ...RECEIPTS), null) },
  { name: 'pruned: old receipts are null', family: 'evm', only: from(0.6, 'receipts'), rule: answers(olderThan(0.6, ...RECEIPTS), null) },
  { name: 'pruned: old logs are empty lists', family: 'evm', only: from(0.6, 'logs'), falsifies: { about: ['logs'], caughtBy: 'counts' }, rule: answers(olderThan(0.6, 'eth_getLogs'), []) },
  { name: 'pruned: old receipts are empty lists', family: 'evm', only: from(0.6, 'receipts'), falsifies: { about: ['receipts'], caughtBy: 'counts' }, rule: answers(olderThan(0.6, ...RECEIPTS), []) },

  lagging('two machines, one 12 behind', {}, backends(0, 12)),
  lagging('three machines, up to 40 behind', {}, backends(0, 5, 40)),
  lagging('a head that goes back', {}, backends(0, 0, 0, 3)),
  { ...lagging('a head that stays', upTo(0.8), stuckAt(0.8)), newest: 0.8 },
  { name: 'head: beyond for a while (Geth)', family: 'evm', rule: refuses(both((call) => call.method === 'eth_getLogs', untilRequest(12)), { code: -32602, message: 'block range extends beyond current head block' }) },
  { name: 'head: machines that refuse what they lack', family: 'evm', rule: (node) => ({ ...refuses(beyondHead, { code: -32000, message: 'One or more specified block(s) not found: the requested block is beyond the head' })(node), ...onlyRequest(backends(0, 8)(node)) }) },

  form('logs without order', logsAs(reversed)),
  form('logs repeated exactly', logsAs(repeated)),
  form('logs without removed', logsAs(withoutRemoved)),
  form('logs with more fields', logsAs(withMore)),
  form('logs in upper case', logsAs(inUpperCase)),

  falsifies('a log omitted', 'logs', 'counts', falseLogs(0.4, omitOne)),
  falsifies('many logs omitted', 'logs', 'counts', falseLogs(0.4, omitMany)),
  falsifies('a tail that bloom and indices do not show', 'logs', 'roots', falseLogs(1, cutCoveredTail)),
  falsifies('an altered amount', 'logs', 'roots', falseLogs(0.3, alterAmount)),
  falsifies('an altered address', 'logs', 'counts', falseLogs(0.3, alterAddress)),
  falsifies('an invented log', 'logs', 'counts', falseLogs(0.3, inventLog)),
  falsifies('logs of another branch', 'logs', 'counts', falseLogs(0.3, otherBranch)),
  falsifies('blocks of another branch', 'blocks', 'counts', falseBlocks(0.2)),
  falsifies('receipts that differ from the logs', 'receipts', 'counts', falseReceipts(0.5)),
];

/** A machine of a balancer is chosen, and what it lacks is left to another rule. */
function onlyRequest({ onRequest }: ReturnType<Behaviour['rule']>): ReturnType<Behaviour['rule']> {
  return { onRequest };
}
