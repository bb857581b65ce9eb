/**
 * The JSON-RPC of a local chain, straight from the page. Only for a demo chain: a real chain is reached by the user's own
 * wallet.
 */
export class LocalNode {
  private id = 0;

  constructor(private readonly url: string) {}

  async call<T>(method: string, params: readonly unknown[] = []): Promise<T> {
    const body = JSON.stringify({ jsonrpc: '2.0', id: ++this.id, method, params });
    const headers = { 'content-type': 'application/json' };
    let answer: { result?: T; error?: { message?: string } };
    try {
      const response = await fetch(this.url, {
        method: 'POST',
        headers,
        body,
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
      answer = (await response.json()) as typeof answer;
    } catch {
      throw new NodeError('the local chain cannot be reached');
    }
    if (answer.error !== undefined)
      throw new NodeError(`the local chain refuses: ${answer.error.message ?? 'no reason'}`);
    return answer.result as T;
  }

  async blockNumber(): Promise<number> {
    return Number(await this.call<string>('eth_blockNumber'));
  }

  async nativeBalance(wallet: string, block: string = 'latest'): Promise<bigint> {
    return BigInt(await this.call<string>('eth_getBalance', [wallet, block]));
  }

  async tokenBalance(token: string, wallet: string, block: string = 'latest'): Promise<bigint> {
    const data = `${BALANCE_OF}${wallet.slice(2).toLowerCase().padStart(64, '0')}`;
    const word = await this.call<string>('eth_call', [{ to: token, data }, block]);
    return word === '0x' ? 0n : BigInt(word);
  }
}

/** What the local chain said, in words; shown as they are. */
export class NodeError extends Error {}

const TIMEOUT_MS = 10_000;
const BALANCE_OF = '0x70a08231';

export const quantity = (value: bigint | number): string => `0x${value.toString(16)}`;
