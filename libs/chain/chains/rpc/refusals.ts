import type { RpcErrorKind } from './rpc-error.js';

/**
 * What a refusal is about, read from all that a node said. Providers share codes and statuses between meanings, so the
 * sentence decides first, then the code, then the status. Invariant: the first row that matches counts, and what matches
 * none is the node's own trouble, which a caller with a large question tries again with a smaller one.
 */
export interface Refusal {
  /** HTTP status of the answer; 0 where none came. */
  readonly status: number;
  /** Of the error object; null where there is none. */
  readonly code: number | null;
  /** The sentence of the error object, or the text of a body that is no JSON. */
  readonly message: string;
}

export type NodeFamily = 'evm' | 'solana';

interface Row {
  readonly kind: RpcErrorKind;
  readonly family?: NodeFamily;
  readonly words?: RegExp;
  /** A sentence with these words is about something else. */
  readonly unless?: RegExp;
  readonly codes?: readonly number[];
  readonly statuses?: readonly number[];
}

/** What is counted in a range of logs. */
const LOGS = '(?:logs?|results?|events?|entries|records?|rows|items|documents)';
/** What is counted in time. */
const PER_TIME = /per.{0,3}(second|sec\b|minute|min\b|hour)|\/ ?(second|sec|s|min|minute)\b|\b(rps|rpm|cups|qps)\b/i;
const BATCH = '(?:batch(?:es|ed|ing)?|array of (?:calls|requests)|json-?rpc array|multiple (?:calls|requests))';

const ROWS: readonly Row[] = [
  { kind: 'reverted', family: 'evm', codes: [3] },
  {
    kind: 'reverted',
    family: 'evm',
    words:
      /revert|invalid (opcode|jump|instruction)|bad instruction|out ?of ?gas|gas (required|uint64|limit|too low)|stack ?(under|over)flow|execution (error|aborted|failed|timeout)|vm (exception|execution)|return data out of bounds|write protection|insufficient (balance|funds)|evmerror|opcodenotfound|invalidjump|invalidfeopcode/i,
  },

  // Local chains, of a block above their head or one that was reorganized.
  { kind: 'unknown-block', family: 'evm', words: /BlockOutOfRange|block height is \d+ but requested/i },

  // The length of a list of calls. A rate that is counted in lists, or calls of them, is a rate.
  {
    kind: 'list-too-long',
    words: new RegExp(
      `${BATCH}.{0,60}(size|limit|length|too|large|long|big|many|max|more|exceed|above|over|at most|up to|not (allowed|supported|enabled|available|permitted|accepted)|disabled|disallowed|unsupported|forbidden|only|paid|plan|count|cannot|can't)`,
      'i',
    ),
    unless: /rate.?limit|per.{0,3}(second|sec\b|minute|min\b)/i,
  },
  {
    kind: 'list-too-long',
    words: new RegExp(
      `(too many|more than|at most|up to|max(imum)?|limit|exceed|not support|no|disable|forbid|large|long).{0,60}${BATCH}`,
      'i',
    ),
    unless: /rate.?limit|per.{0,3}(second|sec\b|minute|min\b)/i,
  },

  // A block that the node has not come to.
  {
    kind: 'head-not-reached',
    family: 'evm',
    words:
      /(beyond|past|after|above|ahead of|higher than|greater than|exceeds?).{0,30}(head|latest|current|last (accepted|known|indexed)|tip\b|best|highest)|last accepted block|not (yet )?(been )?(reached|mined|produced|indexed|synced|imported)|(block|range).{0,40}in the future|future block|(fromblock|toblock).{0,60}cannot be found|(block|number) is out of range|unfinalized/i,
  },
  {
    kind: 'head-not-reached',
    family: 'solana',
    codes: [-32016],
  },
  { kind: 'head-not-reached', family: 'solana', words: /minimum context slot|end slot/i },

  // The node gave up, or a gateway before it.
  {
    kind: 'too-large',
    words: /time(d)?.?out|deadline|took too long/i,
    unless: PER_TIME,
  },
  { kind: 'bad-params', words: /invalid block range/i },

  // What is used up until the next day or month, or until it is paid for: all that the node is asked is refused.
  {
    kind: 'quota',
    words:
      /quota|(monthly|daily|per.?(day|month)).{0,40}(limit|request|usage|credit|capacity|count)|(limit|request|usage|credit|capacity|count).{0,40}(per.?(day|month)|monthly|daily|for (today|this month)|of the (day|month))|(out of|insufficient|exhausted|no (more|remaining)|used up).{0,30}(credit|unit|request|balance)|credits?.{0,30}(exhaust|exceed|used|limit)|payment required|billing|max usage|ran out of|account (is )?(suspended|inactive|disabled)/i,
    unless: PER_TIME,
  },

  // A rate: too many questions in too short a time.
  {
    kind: 'rate-limited',
    words:
      /rate.{0,3}(limit|exceed)|\b(rps|cups|qps)\b|too many (requests|connections|calls)|(requests?|calls?|compute.?units?|credits?|capacity|throughput|call rate|request rate).{0,60}(\bper\b.{0,4}|\/ ?\d{0,3} ?)(second|sec\b|s\b|minute|min\b)|\d+ ?(\/|per) ?(second|sec\b|s\b)|(compute units?|capacity|throughput).{0,40}(exceed|limit|reached)|(exceed|limit|reached|over).{0,60}(compute units?|capacity|throughput|\brps\b|\bcups\b|requests? (rate|count|limit))|request.{0,20}(count|limit).{0,20}(exceed|reached)|throttl|slow down|back ?off|too (fast|frequent)|concurren/i,
    unless: new RegExp(
      `(block|slot) range|response size|${LOGS} (in|per) (a |one )?(query|range|request|response)`,
      'i',
    ),
  },

  // The status says it, and the sentence nothing else.
  {
    kind: 'rate-limited',
    statuses: [420, 429],
    unless: new RegExp(
      `(block|slot)s?.{0,12}range|response size|${LOGS} (in|per) (a |one )?(query|range|request|response)`,
      'i',
    ),
  },

  // What the node does not have any more, or never had.
  {
    kind: 'pruned',
    family: 'evm',
    words:
      /missing trie node|state.{0,60}(not available|unavailable|pruned|missing|not found)|(distance|historical).{0,40}(state|maximum proof window)|historical (state|data|block|log|receipt)|prun|archiv|old data not available|(data|history|receipts?|logs?|blocks?|bodies).{0,40}(no longer|expired|unavailable|is not stored|not retained|not kept|older than|earliest)|(earliest|oldest|lowest|first) (available|stored|known|block)|history (expir|unavailable)|too old|no historical|no state|missing block|distance to target|data before .{0,40}not available/i,
  },
  {
    kind: 'pruned',
    family: 'solana',
    words:
      /cleaned up|first available block|history is not available|(ledger|long-term storage).{0,30}(not|missing).{0,20}(avail|configured|enabled)|prun|archiv|too old/i,
    unless: /skipped/i,
  },

  // A range of blocks.
  {
    kind: 'too-large',
    words:
      /(block|slot|blocks|slots).{0,12}(range|span|distance|interval|window|count|limit|difference|diff)|(range|span|interval|window|distance).{0,40}(blocks?|slots?|too|large|wide|big|long|limit|exceed|max|more|above|greater|allow|support)|(limit|max|exceed|more than|up to|at most|over|greater|above|within|allowed|only).{0,60}(blocks?\b|slots?\b)|(block|slot)s? ?(limit|too)|narrow|reduce.{0,20}(range|blocks)|(fromblock|toblock|from_block|to_block).{0,60}(more|exceed|limit|than|apart|difference|too|max)|(smaller|shorter) range/i,
    unless: /not (found|available)|missing|prun|archive|unknown block/i,
  },

  // Logs of any contract: some nodes give those of named ones alone.
  {
    kind: 'plan',
    family: 'evm',
    words: /(specify|provide|without|requires?).{0,12}\b(an? )?(contract )?address\b|address (is )?(required|missing)/i,
  },

  // A method. Behind a plan or missing, another node may have it.
  {
    kind: 'method-missing',
    words:
      /(method|rpc|function|call|namespace|module|endpoint|feature|eth_\w+|get[A-Z]\w+).{0,80}(not found|not (been )?(supported|available|exist|allowed|enabled|implemented|whitelisted|permitted|registered)|(does|do|is|are)(n't| not) (exist|available|support|allow|enable|implement|whitelist|permit)|unavailable|disabled|unsupported|unknown|blocked|denied|restricted|forbidden)|(unsupported|unknown|unrecogni[sz]ed|disallowed|invalid|no such|not allowed|forbidden|blocked) (rpc )?method|not enabled|notimplemented|not implemented/i,
    unless: /block (not|is not) (found|available)|(for|on) this (app|project|key)/i,
  },
  {
    kind: 'plan',
    words:
      /(upgrade|paid|free|higher|current|your|developer|growth|enterprise|business|premium|pro|archive).{0,24}\b(plan|tier|subscription|add-?on|package)|\b(plan|tier|subscription).{0,40}(not|upgrade|require|only|limit)|upgrade (to|your)|not (available|included|supported|allowed|enabled) (on|in|for|with) .{0,30}(plan|tier|subscription|account|key)|requires? .{0,40}(plan|tier|subscription|access)/i,
  },

  // The answer would be too much: too many logs, too many bytes, too long.
  {
    kind: 'too-large',
    words: new RegExp(
      [
        `(more than|too many|over|exceed|limit|max|up to|at most|above|only).{0,60}${LOGS}`,
        `${LOGS}.{0,40}(limit|exceed|too (many|large)|max|more than|above)`,
        String.raw`(response|result|answer|payload|body|reply|content|request entity|request|data|size|message|buffer|memory).{0,40}(too (large|big|long|heavy)|exceed|over.{0,12}limit|limit|\d ?[mk]i?b\b)`,
        String.raw`(exceed|limit|max|over|above).{0,60}(response|result|payload|body|size|bytes|\d ?[mk]i?b\b|memory)`,
        '(query|request|execution|search|operation|call|eth_getlogs|filter|log).{0,30}(time(d)?.?out|took too long|deadline|expired|cancel|aborted|interrupted)',
        'time(d)?.?out|deadline|took too long|too (large|big|heavy|complex|expensive|wide|many blocks)|limited to|query (limit|returned)|context cancel|(less|fewer).{0,12} (addresses|topics|blocks|logs|results)|(max|exceed).{0,20}(addresses|topics)|must be (smaller|less|shorter|within)|(smaller|greater|larger|less) than.{0,20}(size|bytes)|^limit exceeded$',
      ].join('|'),
      'i',
    ),
  },

  // A block that is none here.
  {
    kind: 'unknown-block',
    family: 'evm',
    words:
      /header.{0,20}not found|resource not found|unknown block|block.{0,40}(not found|does ?n.?t exist|not exist|missing)|no block|BlockOutOfRange|could not find block/i,
  },
  {
    kind: 'unknown-block',
    family: 'solana',
    words:
      /skipped|not available for slot|status not yet available|block.{0,40}not (found|available)|missing (in|due to)/i,
  },

  {
    kind: 'key',
    words:
      /authenticat|unauthori[sz]ed|(invalid|missing|wrong|no|your) (api|access|project).{0,3}(key|token|id)|access (denied|forbidden)/i,
  },
  {
    kind: 'server',
    words:
      /behind|unhealthy|syncing|not ready|starting|overload|internal (server )?error|bad gateway|service (temporarily )?unavailable|try again|temporar|upstream|backend|no (healthy|available) (node|upstream|backend|server)/i,
  },
  { kind: 'bad-params', words: /transaction version/i, family: 'solana' },
  {
    kind: 'bad-params',
    words:
      /invalid (argument|param|request|input|type)|(missing|wrong|too (few|many)) (value|argument|param)|parse error|cannot unmarshal|expected|must be/i,
    unless: /^invalid request$/i,
  },

  // By code alone.
  { kind: 'rate-limited', codes: [429, -32005, -32429, -32029, -32097] },
  { kind: 'method-missing', codes: [-32601, -32004, -32006], family: 'evm' },
  { kind: 'method-missing', codes: [-32601], family: 'solana' },
  { kind: 'pruned', codes: [4444, -38001], family: 'evm' },
  { kind: 'pruned', codes: [-32001, -32011], family: 'solana' },
  { kind: 'unknown-block', codes: [-32004, -32007, -32009, -32014], family: 'solana' },
  { kind: 'quota', codes: [402] },
  { kind: 'bad-params', codes: [-32602] },

  // By status alone.
  { kind: 'quota', statuses: [402] },
  { kind: 'key', statuses: [401, 403, 451] },
  { kind: 'too-large', statuses: [413, 414] },
  { kind: 'unanswered', statuses: [0, 408, 504, 522, 524, 598] },
];

/** Names of methods, whose parts are no words of the sentence. The rows name eth_getLogs, so that one stays. */
const METHOD_NAMES =
  /\b(?!eth_getLogs\b)(?:(?:eth|debug|trace|net|web3|txpool|erigon|ots|parity|engine|admin|personal|alchemy|qn|bor|arb|zks|linea|rollup|optimism)_[A-Za-z]\w*|(?:get|is|send|simulate|request|minimum)[A-Z]\w*)/g;

/** The meaning of a refusal. */
export function readRefusal(family: NodeFamily, given: Refusal): RpcErrorKind {
  const refusal = { ...given, message: given.message.replace(METHOD_NAMES, 'eth_method') };
  const row = ROWS.find((each) => matches(each, family, refusal));
  return row?.kind ?? 'server';
}

function matches(row: Row, family: NodeFamily, { status, code, message }: Refusal): boolean {
  if (row.family !== undefined && row.family !== family) return false;
  if (row.words !== undefined && !row.words.test(message)) return false;
  if (row.unless?.test(message)) return false;
  if (row.codes !== undefined && (code === null || !row.codes.includes(code))) return false;
  return row.statuses === undefined || row.statuses.includes(status);
}
