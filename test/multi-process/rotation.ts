import { readSecrets, rotateSecrets } from '#libs/serve/accounts/secret-book.js';
import type { TradesAnswer } from '#libs/serve/contract/rest/trade-body.js';
import { type Frame, subscribed } from './live-frames.js';
import { MarketClient } from './market-client.js';
import type { Process, SixProcesses } from './six-processes.js';

/** Trades a page. */
const ROWS = 3;
const MAC_BYTES = 16;

/** What a cursor says, and what signed it. */
function partsOf(cursor: string): { payload: string; mac: string } {
  const bytes = Buffer.from(cursor, 'base64url');
  return {
    payload: bytes.subarray(0, -MAC_BYTES).toString('base64url'),
    mac: bytes.subarray(-MAC_BYTES).toString('base64url'),
  };
}

/**
 * Clients of every api over a rotation of the secret of cursors: each holds a cursor and a place of a subscription from
 * before, and asks all the others with them. A page at a cursor is pinned: of its own cursor only the signature changes.
 */
export class Rotation {
  private readonly cursors: string[] = [];
  private readonly places: Frame[] = [];
  /** The page at each cursor, as it was before. */
  private readonly pages: TradesAnswer[] = [];

  constructor(
    private readonly world: SixProcesses,
    private readonly key: string,
  ) {}

  /** Takes what the clients hold, at every api. */
  async before(): Promise<void> {
    for (const each of this.apis) {
      const { next } = await this.page(each, null);
      this.cursors.push(next!);
      this.pages.push(await this.page(each, next));
      const { next: frame, close } = await subscribed(each.urls.api!, this.key, this.wanted);
      this.places.push(await frame('snapshot'));
      close();
    }
  }

  /** Nothing is signed with the new secret before every process may know it. */
  async rotate(): Promise<void> {
    const { log } = this.world;
    const known = (await readSecrets(log)).secrets().length;
    expect((await rotateSecrets(log, Date.now())).secrets()).toHaveLength(known + 1);
    for (const each of this.apis) {
      for (const [n, cursor] of this.cursors.entries()) expect(await this.page(each, cursor)).toEqual(this.pages[n]);
    }
  }

  /** Waits until each api signs with the new secret. */
  async settled(): Promise<void> {
    for (const each of this.apis) {
      await each.program.until('the new secret', async () => this.isNew(await this.page(each, this.cursors[0]!)));
    }
  }

  /** The cursors from before, and those that are new, at every api. */
  async pagesFit(): Promise<void> {
    for (const each of this.apis) {
      for (const [n, cursor] of this.cursors.entries()) {
        const page = await this.page(each, cursor);
        const before = this.pages[n]!;
        expect({ ...page, next: partsOf(page.next!).payload }).toEqual({
          ...before,
          next: partsOf(before.next!).payload,
        });
        const { mac } = partsOf(page.next!);
        expect([each.name, n, mac === partsOf(before.next!).mac]).toEqual([each.name, n, false]);
        // What the old secret signed and what the new one did lead to the same page, whichever of them is asked.
        const further = await this.page(each, before.next);
        for (const other of this.apis) expect(await this.page(other, page.next)).toEqual(further);
      }
    }
  }

  /** A place that one api gave is a place of every other, without a snapshot. */
  async resumesHold(): Promise<void> {
    for (const each of this.apis) {
      for (const { epoch, seq } of this.places) {
        const wanted = { ...this.wanted, resume: { epoch, seq } };
        const { next: frame, close } = await subscribed(each.urls.api!, this.key, wanted);
        expect([each.name, (await frame('subscribed')).resumed]).toEqual([each.name, true]);
        close();
      }
    }
  }

  private isNew({ next }: TradesAnswer): boolean {
    return partsOf(next!).mac !== partsOf(this.pages[0]!.next!).mac;
  }

  private page({ urls }: Process, cursor: string | null): Promise<TradesAnswer> {
    const at = cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`;
    return new MarketClient(urls.api!, this.key).get(`/tokens/eth/${this.world.token}/trades?limit=${ROWS}${at}`);
  }

  private get wanted() {
    return { channel: 'token', chain: 'eth', token: this.world.token };
  }

  private get apis(): Process[] {
    return this.world.of('api');
  }
}
