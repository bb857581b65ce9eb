import { ContractReader } from '#libs/chain/chains/evm/contract-reader.js';
import { decodeText } from '#libs/chain/chains/evm/erc20/metadata.js';
import { RpcPool } from '#libs/chain/chains/evm/rpc/rpc-pool.js';
import { type NodePools, SHARED_COOL_DOWN } from '#libs/chain/chains/rpc/node-pools.js';
import type { ChainSpec } from '#libs/chain/market-ports/chain-spec.js';
import type { Hex } from '#libs/core/ids.js';
import { isHttp } from '../source/nodes.js';

/** Where a token says that its metadata are; null where it says nothing. */
export interface TokenUris {
  uriOf(token: Hex, signal: AbortSignal): Promise<string | null>;
  close(): Promise<void>;
}

/** contractURI() of ERC-7572 (Zora's coins have it too), tokenURI() of coins that came before it, imageUrl() and metadata() of Clanker's. */
const SELECTORS = ['e8a3d485', '3c130d90', 'aba83150', '392f37e9'] as const;
const MOST_URI = 64 * 1024;

/** Asks the nodes of an EVM chain. */
export class ContractUris implements TokenUris {
  private readonly rpc: RpcPool;
  private readonly reader: ContractReader;

  constructor(chain: ChainSpec, rpcUrls: readonly string[], nodePools: NodePools) {
    const urls = rpcUrls.filter(isHttp);
    const nodes = nodePools.of(chain.slug, urls);
    this.rpc = new RpcPool({ urls, nodes, chainId: chain.chainId!, maxConcurrency: 4, ...SHARED_COOL_DOWN });
    this.reader = new ContractReader(chain.evm!.multicall3);
  }

  async uriOf(token: Hex, signal: AbortSignal): Promise<string | null> {
    const calls = SELECTORS.map((data) => ({ to: token, data }));
    const answers = await this.rpc.use((endpoint) => this.reader.read(endpoint, calls, 'latest', signal), signal);
    const [contractUri, tokenUri, image, metadata] = answers.map((answer) => decodeText(answer, MOST_URI));
    return contractUri ?? tokenUri ?? clankerDocument(image ?? null, metadata ?? null);
  }

  close(): Promise<void> {
    return this.rpc.close();
  }
}

/** Clanker keeps the picture's address and the rest of its metadata in two texts: together they are the file that others link to. */
function clankerDocument(image: string | null, metadata: string | null): string | null {
  if (image === null) return null;
  let fields: unknown = {};
  try {
    fields = JSON.parse(metadata ?? '{}');
  } catch {
    // Another text than JSON says nothing that is shown.
  }
  const document = typeof fields === 'object' && fields !== null ? { ...fields, image } : { image };
  return `data:application/json,${encodeURIComponent(JSON.stringify(document))}`;
}
