import { useSignalEffect } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import type { RouterClient } from '#libs/serve/client/router-client.js';
import type { LaunchChain } from '#libs/serve/contract/rest/launch/launch-body.js';
import { type Clients, keyRefused } from '../state/clients.js';
import { DemoButton } from '../swap/demo/demo-button.js';
import { LocalDemo } from '../swap/demo/local-demo.js';
import { LocalNode } from '../swap/demo/local-node.js';
import { EvmDemoChain } from '../swap/demo/use-demo.js';
import { SwapBuild } from '../swap/swap-build.js';
import { Trouble } from '../ui/trouble.js';
import { CreatedCard } from './created-card.js';
import { type Coin, LaunchForm } from './launch-form.js';
import { type LaunchBuild, LaunchFormCard } from './launch-form-card.js';

/** Of the tokens of every launchpad that has a builder. */
const EVM_DECIMALS = 18;
const SOLANA_DECIMALS = 6;

/** Kept while the user visits another page and comes back. */
const forms = new Map<string, LaunchForm>();

interface ChainLaunchProps {
  clients: Clients;
  router: RouterClient;
  row: LaunchChain;
  /** Every chain that can be chosen. */
  rows: readonly LaunchChain[];
  coin: Coin;
  /** Node of a local chain, with which the demo wallet signs; null on a real one. */
  demoUrl: string | null;
  onChain: (slug: string) => void;
}

/** One chain's form, and what was built of it. */
export function ChainLaunch({ clients, router, row, rows, coin, demoUrl, onChain }: ChainLaunchProps) {
  const form = useMemo(() => formOf(row.slug, coin.decimals), [row.slug, coin.decimals]);
  const build: LaunchBuild = useMemo(
    () => new SwapBuild({ ask: (request, signal) => router.launch(row.slug, request, { signal }), ended: keyRefused }),
    [router, row.slug],
  );
  const demo = useMemo(
    () => (demoUrl === null ? null : new LocalDemo(new EvmDemoChain(new LocalNode(demoUrl)), form)),
    [demoUrl, form],
  );
  useEffect(() => {
    const { platform, rpcUrl, image } = form.texts.peek();
    if (!row.platforms.includes(platform)) form.set('platform', row.platforms[0]!);
    if (demoUrl !== null && rpcUrl === '') form.set('rpcUrl', demoUrl);
    if (demoUrl !== null && image === '') form.set('image', router.sampleImage);
  }, [form, row, demoUrl, router]);
  useSignalEffect(() => {
    // Transactions are those of one form.
    void [form.texts.value, form.buyText.value, form.slippageText.value];
    build.drop();
  });
  useEffect(() => () => build.drop(), [build]);

  const [node, wallet] = [demo?.chain.node ?? null, demo?.chain.wallet.value ?? null];
  return (
    <div class="swap-columns">
      <div class="swap-main">
        <LaunchFormCard {...{ row, rows, form, build, coin, onChain }}>
          {demo !== null && !demo.signs(form.wallet.value) && <DemoButton demo={demo} />}
        </LaunchFormCard>
        <Trouble text={demo?.trouble.value} />
      </div>
      <div class="swap-side">
        <CreatedCard
          {...{ clients, form, build, coin, node, wallet }}
          tokenDecimals={row.family === 'evm' ? EVM_DECIMALS : SOLANA_DECIMALS}
        />
      </div>
    </div>
  );
}

function formOf(chain: string, decimals: number): LaunchForm {
  const form = forms.get(chain) ?? new LaunchForm(chain, decimals);
  forms.set(chain, form);
  return form;
}
