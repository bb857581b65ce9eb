import { HexText } from '#libs/chain/chains/evm/hex-text.js';

/** The words of a call's answer, or null when it has fewer than `count`. */
export function answerWords(answer: string | null | undefined, count: number): HexText | null {
  return answer && answer.length >= count * 64 ? HexText.read(`0x${answer}`) : null;
}
