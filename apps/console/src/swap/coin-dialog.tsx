import { ApiError } from '#libs/serve/client/api-error.js';
import type { Clients } from '../state/clients.js';
import { HitDialog } from '../ui/hit-dialog.js';
import { type Coin, type CoinBook, type CoinChain, CoinError, nativeCoin } from './coins.js';
import { type CoinHit, findCoins } from './find-coins.js';

interface DialogProps {
  clients: Clients;
  row: CoinChain;
  book: CoinBook;
  title: string;
  onChoose: (coin: Coin) => void;
  onClose: () => void;
}

/** The coin of a chain and its tokens, of which one is chosen. */
export function CoinDialog({ clients, row, book, title, onChoose, onClose }: DialogProps) {
  const take = async (hit: CoinHit): Promise<string | null> => {
    try {
      onChoose(hit.native ? nativeCoin(row) : await book.load(hit.address));
      return null;
    } catch (error) {
      if (!(error instanceof CoinError || error instanceof ApiError)) throw error;
      return `${error.message}.`;
    }
  };
  return (
    <HitDialog
      title={title}
      label={`Tokens of ${row.chain}`}
      nothing={`Nothing on ${row.chain} is called that. A token appears once one of its pools was seen.`}
      about={row.chain}
      find={(text, signal) => findCoins(clients.rest, row, text, signal)}
      {...{ take, onClose }}
    />
  );
}
