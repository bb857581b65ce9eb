import type { ChainStatus } from '#libs/protocol/rest/status-body.js';
import { whole } from '../format/numbers.js';
import { longSpan } from '../format/times.js';
import { chainSentence } from './chain-words.js';

/** A chain in one sentence, with how far its history is. Below a heading that names it the name is left out. */
export function ChainSentence({ chain, named = true }: { chain: ChainStatus; named?: boolean }) {
  const { progress } = chain;
  const sentence = chainSentence(chain);
  return (
    <div class="chain-sentence">
      <p>
        {named ? (
          <>
            <strong>{chain.name}</strong> {sentence}
          </>
        ) : (
          sentence[0]!.toUpperCase() + sentence.slice(1)
        )}
      </p>
      {progress !== null && (
        <>
          <progress max={100} value={progress.percent} aria-label={`History of ${chain.name}`}>
            {progress.percent}%
          </progress>
          <p class="quiet">
            {progress.percent.toFixed(1)}% · block {whole(progress.block)} of {whole(progress.toBlock)} ·{' '}
            {whole(Math.round(progress.blocksPerSecond))} blocks a second
            {progress.etaSeconds !== null && ` · ${longSpan(progress.etaSeconds * 1000)} left`}
          </p>
        </>
      )}
    </div>
  );
}
