import type { TokenStats } from '#libs/serve/contract/rest/token-stats.js';
import { compactUsd, whole } from '../format/numbers.js';
import { Card } from '../ui/card.js';
import { Change } from '../ui/change.js';

const windows = ['5m', '1h', '6h', '24h'] as const;

/** What happened over the last while, side by side. */
export function WindowTable({ stats }: { stats: TokenStats }) {
  return (
    <Card id="windows" title="Activity">
      <div class="windows">
        {windows.map((name) => {
          const { priceChangePercent, volumeUsd, trades, buys, sells, buyers, sellers } = stats[name];
          const share = (buys / Math.max(1, trades)) * 100;
          return (
            <div key={name} class="window">
              <h3>
                {name} <Change value={priceChangePercent} />
              </h3>
              <p>
                <strong>{compactUsd(volumeUsd)}</strong> <span class="quiet">in {whole(trades)} trades</span>
              </p>
              <span
                class={trades === 0 ? 'balance balance-none' : 'balance'}
                aria-hidden="true"
                style={{ '--buys': `${share.toFixed(0)}%` }}
              />
              <p class="window-sides">
                <span>
                  <span class="up">{whole(buys)}</span> buys <small>by {whole(buyers)}</small>
                </span>
                <span>
                  <span class="down">{whole(sells)}</span> sells <small>by {whole(sellers)}</small>
                </span>
              </p>
            </div>
          );
        })}
      </div>
    </Card>
  );
}
