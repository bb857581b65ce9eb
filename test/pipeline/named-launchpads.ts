import { SocketClient } from '#apps/api/src/live/transport/test/live-clients.js';
import { type BoardAnswer, boardNames } from '#libs/serve/contract/rest/launchpad-body.js';
import { launchpadNames } from '#libs/serve/contract/rest/market-queries.js';
import type { SearchAnswer, SearchRow } from '#libs/serve/contract/rest/search-body.js';
import type { MarketClient } from '../multi-process/market-client.js';

type Row = Pick<SearchRow, 'address' | 'launchpad'>;

/** The names of launchpads that each route of an api, and its channel, said of the tokens of a chain. */
export class NamedLaunchpads {
  private readonly names = new Map<string, Set<string>>();

  private constructor(
    private readonly market: MarketClient,
    private readonly chain: string,
    private readonly socket: SocketClient,
  ) {}

  static async follow(market: MarketClient, chain: string): Promise<NamedLaunchpads> {
    const socket = await SocketClient.open(`${market.url}/ws`, { headers: { 'x-api-key': market.key! } });
    socket.send({ op: 'subscribe', id: 'board', channel: 'launchpad', chain, board: 'new' });
    return new NamedLaunchpads(market, chain, socket);
  }

  name(route: string, names: readonly string[]): void {
    const known = this.names.get(route) ?? new Set();
    for (const name of names) known.add(name);
    this.names.set(route, known);
  }

  saw(route: string, { launchpad }: Row): void {
    if (launchpad !== null) this.name(route, [launchpad.name]);
  }

  /** Until the channel has sent each of these tokens. */
  async sawLive(addresses: readonly string[]): Promise<void> {
    const awaited = new Set(addresses);
    while (awaited.size > 0) {
      const frame = await this.socket.next();
      if (frame.type === 'error') throw new Error(`the channel answers ${JSON.stringify(frame)}`);
      if (frame.type !== 'snapshot' && frame.type !== 'add') continue;
      for (const row of frame.data as Row[]) {
        awaited.delete(row.address);
        this.saw('live', row);
      }
    }
  }

  /** Every board and the search of the chain, and the page of each token that they have. */
  async collect(): Promise<void> {
    const { market, chain } = this;
    const tokens = new Set<string>();
    const lists = [...boardNames.map((board) => `/launchpad/${board}?`), '/search?q=DR&', '/screener?'];
    for (const list of lists) {
      const pages = await market.pages<BoardAnswer | SearchAnswer>(`${list}chain=${chain}&limit=200`);
      for (const row of pages.flatMap(({ data }): Row[] => data)) {
        this.saw(list, row);
        if (row.launchpad !== null) tokens.add(row.address);
      }
    }
    for (const address of tokens) this.saw('token', (await market.token(address, chain)).data);
  }

  /** Each said names of the list alone, and those of the launchpads that were used. */
  expectOneList(used: readonly string[], further: readonly string[]): void {
    const list: ReadonlySet<string> = new Set(launchpadNames);
    for (const [route, names] of this.names) {
      expect([route, [...names].filter((name) => !list.has(name))]).toEqual([route, []]);
    }
    for (const route of ['/launchpad/new?', '/search?q=DR&', 'token', 'live', ...further]) {
      expect([route, [...(this.names.get(route) ?? [])]]).toEqual([route, expect.arrayContaining([...used])]);
    }
  }

  close(): void {
    this.socket.socket.terminate();
  }
}
