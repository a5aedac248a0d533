/** Deterministic first check of public text. Flagged records are stored but not listed until their text is clean. */

export interface ModerationVerdict {
  readonly status: 'ok' | 'review';
  readonly reason: string | null;
}

const claims: readonly { readonly pattern: RegExp; readonly reason: string }[] = [
  { pattern: /\bguaranteed?\s+(?:profits?|returns?|gains?|income|wins?)\b/i, reason: 'scam_phishing: promises guaranteed returns' },
  { pattern: /\b100\s?%\s+(?:accura(?:cy|te)|success|win|profits?)\b/i, reason: 'scam_phishing: promises certain success' },
  {
    pattern: /\b(?:risk[- ]free|no[- ]risk)\s+(?:profits?|returns?|trad(?:e|ing)|invest)/i,
    reason: 'scam_phishing: promises returns without risk',
  },
  {
    pattern: /\b(?:send|share|enter|give|provide|paste|submit)\b[^.]{0,40}\b(?:seed phrase|private key|recovery phrase)\b/i,
    reason: 'key_solicitation: asks for wallet secrets',
  },
];

export function reviewText(...texts: readonly string[]): ModerationVerdict {
  const found = claims.find(({ pattern }) => texts.some((text) => pattern.test(text)));
  return found === undefined ? { status: 'ok', reason: null } : { status: 'review', reason: found.reason };
}

/** Words that make a listing look like a trial, an attack or the marketplace itself. */
const BLOCKED_WORD =
  /(?<![A-Za-z0-9])(?:tests?|testing|spam|hack|hacked|hacker|admin|administrator|official|unofficial|support|airdrop|giveaway|drain|drainer)(?![A-Za-z0-9])/i;

/** The first word that a title may not use, as it is written there. */
export function findBlockedWord(title: string): string | undefined {
  return BLOCKED_WORD.exec(title)?.[0];
}
