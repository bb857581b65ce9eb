import { commonLacks } from '#libs/chain/chains/rpc/node-lacks.js';
import type { NodeState } from '#libs/chain/chains/source-port.js';

/**
 * What is wrong with a node, in words for people, with the next step. Nothing here can show where the node is: its own
 * words are kept only where they help, without anything that looks like an address.
 */
export interface NodeProblem {
  /** A sentence without its subject: `refuses connections`. */
  what: string;
  /** What an operator does next. */
  next: string;
}

/** From the kind and the message of a node's failure. `variable` is where the configuration names the node. */
export function nodeProblem(kind: string, message: string, variable: string): NodeProblem {
  const words = message.replace(/^rpc endpoint \d+: /, '');
  const check = `check its address in ${variable}`;
  switch (kind) {
    case 'transport':
    case 'unanswered':
      return transport(words, check);
    case 'rate-limited':
      return {
        what: 'answers that it gets too many requests',
        next: `it is asked less until it recovers; a plan with a higher limit or one more node in ${variable} makes it faster`,
      };
    case 'pruned':
      return {
        what: 'has no old blocks or state (a pruned node)',
        next: `put an archive node into ${variable}, or start later with ${variable.replace('_RPC_', '_START_')}`,
      };
    case 'plan':
      return {
        what: `refuses by its plan (${ownWords(words)})`,
        next: `change the plan, or add a node that offers it to ${variable}`,
      };
    case 'quota':
      return {
        what: `has given all that its plan allows for now (${ownWords(words)})`,
        next: `wait until the provider counts anew, change the plan, or add a node to ${variable}`,
      };
    case 'key': {
      const said = /^HTTP (401|403$)/.test(words) ? words.slice(0, 8) : ownWords(words);
      return { what: `refuses the key (${said})`, next: `correct the key in ${variable}` };
    }
    case 'incomplete':
      return {
        what: `leaves out a part of its answers (${ownWords(words)})`,
        next: 'what it left out was read in another way; if it stays so, use another node',
      };
    case 'head-not-reached':
      return {
        what: `has not come to a block yet (${ownWords(words)})`,
        next: 'it is asked again, and other nodes meanwhile',
      };
    case 'list-too-long':
      return { what: `takes no lists of so many calls (${ownWords(words)})`, next: 'shorter ones are sent' };
    case 'too-large':
      return { what: `finds questions too large (${ownWords(words)})`, next: 'they are asked in smaller parts' };
    case 'method-missing':
      return { what: `lacks a method (${ownWords(words)})`, next: `use a node that offers it in ${variable}` };
    case 'inconsistent-response':
      return lie(words, check, variable);
    case 'invalid': {
      const slot = /block (\d+): .*does not record them/.exec(words)?.[1];
      if (slot !== undefined) {
        return {
          what: `does not record what the transactions of slot ${slot} called`,
          next: `put a node that does into ${variable}; where none has it, ${variable.replace('_RPC_', '_INCOMPLETE_SLOTS_')}=take takes such slots as they are`,
        };
      }
      return { what: `gives answers that are no JSON-RPC (${ownWords(words)})`, next: check };
    }
    default:
      return server(words, check);
  }
}

/**
 * What none of a chain's nodes has, a sentence each with the next step; nodes that only announce heads are none of them.
 */
export function missingCapabilities(nodes: readonly NodeState[], variable: string): string[] {
  const lacksOfNodes = nodes.filter(({ transport }) => transport === 'http').map(({ lacks = [] }) => lacks);
  return commonLacks(lacksOfNodes).map(({ what, below, message }) => {
    const old = below === null ? '' : ` below block ${below}`;
    const words = ownWords(message.replace(/^rpc endpoint \d+: /, ''));
    return `no node of ${variable} has ${what}${old} (${words}): add one that does`;
  });
}

function transport(words: string, check: string): NodeProblem {
  if (/ECONNREFUSED/.test(words)) return { what: 'refuses connections', next: `see that it runs, and ${check}` };
  if (/ENOTFOUND|EAI_AGAIN/.test(words)) return { what: 'has a host name that cannot be resolved', next: check };
  if (/TIMEOUT|timeout|ETIMEDOUT|aborted/.test(words)) {
    return { what: 'does not answer in time', next: `see that it is not overloaded, and ${check}` };
  }
  if (/CERT|SSL|TLS|self.signed/i.test(words)) {
    return { what: `has a certificate that is not accepted (${ownWords(words)})`, next: check };
  }
  if (/ECONNRESET|EPIPE|SOCKET|other side closed|connection ended/i.test(words)) {
    return { what: 'ends its connections', next: 'it is tried again; if it stays so, look at the log of the node' };
  }
  if (/EHOSTUNREACH|ENETUNREACH/.test(words)) return { what: 'cannot be reached', next: 'look at the network' };
  return { what: `cannot be talked to (${ownWords(words)})`, next: check };
}

function lie(words: string, check: string, variable: string): NodeProblem {
  const chain = /serves chain id (\S+) instead of (\d+)/.exec(words);
  if (chain) {
    return { what: `serves chain id ${chain[1]} instead of ${chain[2]}`, next: `it is not used: correct ${variable}` };
  }
  if (/genesis/.test(words)) return { what: 'serves another chain: its first block differs', next: check };
  return {
    what: `contradicted itself (${ownWords(words)})`,
    next: 'nothing of that answer was used; if it stays so, use another node',
  };
}

function server(words: string, check: string): NodeProblem {
  const status = /HTTP (\d+)/.exec(words)?.[1];
  if (status === '404') return { what: 'has no JSON-RPC under this path (HTTP 404)', next: check };
  if (status !== undefined) return { what: `answers HTTP ${status}`, next: 'it is tried again' };
  const stale = /stale head (-?\d+), another node is at (\d+)/.exec(words);
  if (stale) {
    return {
      what: `stopped following the chain at block ${stale[1]}, while another node is at ${stale[2]}`,
      next: 'the other node is used; look at the log of this one',
    };
  }
  return { what: `answers with an error (${ownWords(words)})`, next: 'it is tried again' };
}

/** A node's words, cut, without what looks like a host, a path or a key. */
function ownWords(words: string): string {
  return words
    .replace(/\b[\w-]+(\.[\w-]+)+(:\d+)?(\/\S*)?/g, '[address]')
    .replace(/\b(?!0x)[A-Za-z0-9_-]{24,}\b/g, '[hidden]')
    .slice(0, 120);
}

/** The environment variable that says whether blocks that no node completes are taken. */
export const incompleteVariable = (chain: string): string => `TIDEPOOL_INCOMPLETE_SLOTS_${chain.toUpperCase()}`;

/** The environment variable that names the nodes of a chain. */
export const nodesVariable = (chain: string): string => `TIDEPOOL_RPC_${chain.toUpperCase()}`;
