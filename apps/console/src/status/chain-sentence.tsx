import type { ChainStatus } from '#libs/serve/contract/rest/status-body.js';
import { capital, heightWords } from '../format/heights.js';
import { whole } from '../format/numbers.js';
import { longSpan } from '../format/times.js';
import { chainSentence } from './chain-words.js';

/** A chain in one sentence, with how far its history is. Below a heading that names it the name is left out. */
export function ChainSentence({ chain, named = true }: { chain: ChainStatus; named?: boolean }) {
  const { progress } = chain;
  const sentence = chainSentence(chain);
  const { one, many } = heightWords(chain.chain);
  return (
    <div class="chain-sentence">
      <p>
        {named ? (
          <>
            <strong>{chain.name}</strong> {sentence}
          </>
        ) : (
          capital(sentence)
        )}
      </p>
      {progress !== null && (
        <>
          <progress max={100} value={progress.percent} aria-label={`History of ${chain.name}`}>
            {progress.percent}%
          </progress>
          <p class="quiet">
            {progress.percent.toFixed(1)}% · {one} {whole(progress.block)} of {whole(progress.toBlock)} ·{' '}
            {whole(Math.round(progress.blocksPerSecond))} {many} a second
            {progress.etaSeconds !== null && ` · ${longSpan(progress.etaSeconds * 1000)} left`}
          </p>
        </>
      )}
    </div>
  );
}
