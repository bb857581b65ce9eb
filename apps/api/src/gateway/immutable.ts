import type { ChainFamily } from '#libs/chain/chains/chain-manifest.js';
import { isJsonObject, type JsonObject, type JsonValue } from '#libs/serve/http/json-body.js';

/** Questions that name their block by its hash, wherever it is in the parameters. */
const BY_HASH: ReadonlySet<string> = new Set([
  'eth_getBlockByHash',
  'eth_getBlockTransactionCountByHash',
  'eth_getTransactionByBlockHashAndIndex',
  'eth_getUncleByBlockHashAndIndex',
  'eth_getUncleCountByBlockHash',
]);

/** By method: which parameter says the block whose state is asked for. */
const BLOCK_PARAMETER: Readonly<Record<string, number>> = {
  eth_getBlockReceipts: 0,
  eth_call: 1,
  eth_getBalance: 1,
  eth_getCode: 1,
  eth_getTransactionCount: 1,
  eth_getProof: 2,
  eth_getStorageAt: 2,
};

const OF_THE_CHAIN: ReadonlySet<string> = new Set(['eth_chainId', 'net_version', 'getGenesisHash']);

/** By method: which parameter is the configuration, whose commitment is `finalized` where none is named. */
const FINALIZED: Readonly<Record<string, number>> = { getBlock: 1, getTransaction: 1, getBlockTime: 1 };

/**
 * Whether the answer, once there is one, is the same for ever: a fact of the chain, of a block named by its hash, or of a
 * finalized one. Such a question may be asked of a node that lags, and its answer be kept; an empty one is not.
 */
export function isImmutable(family: ChainFamily, method: string, params: JsonValue[] | JsonObject): boolean {
  if (OF_THE_CHAIN.has(method)) return true;
  if (!Array.isArray(params)) return false;
  if (family === 'solana') {
    const place = FINALIZED[method];
    if (place === undefined) return false;
    const config = params[place];
    return !isJsonObject(config) || config.commitment === undefined || config.commitment === 'finalized';
  }
  if (BY_HASH.has(method)) return true;
  if (method === 'eth_getLogs') return isJsonObject(params[0]) && params[0].blockHash !== undefined;
  const place = BLOCK_PARAMETER[method];
  return place !== undefined && isBlockHash(params[place]);
}

/** A 32-byte hash, alone or in the form of EIP-1898. With requireCanonical the answer depends on the chain of the moment. */
function isBlockHash(block: JsonValue | undefined): boolean {
  if (typeof block === 'string') return /^0x[0-9a-f]{64}$/i.test(block);
  return isJsonObject(block) && block.blockHash !== undefined && block.requireCanonical !== true;
}
