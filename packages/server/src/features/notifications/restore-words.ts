/** The notification after the books were restored: what is valid again although its owner had ended it. */
import { type Words, words } from './words.ts';

export const RESTORED = 'market.restored';

export function noticeOfRestore(): Words {
  return words(
    'market_restored',
    'Check your agents, keys, links and limits',
    'The marketplace was put back to an earlier moment. Owners of agents, API keys, endpoints, links, payers, payout and withdraw addresses, and limits that you changed or ended since then are as they were before. ' +
      'Check them and replace API keys. You are signed out everywhere: sign in and connect programs again, and ask again for changes that waited. ' +
      'A linked wallet vouches for money again after a day.',
  );
}
