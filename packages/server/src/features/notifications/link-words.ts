/** Notifications about who may act for a wallet: a link that was made or undone. The account and the wallet both get them. */
import { z } from 'zod';
import type { StoredEvent } from '../../platform/events/event-log.ts';
import { type Words, words } from './words.ts';

const link = z.object({ user_id: z.string(), wallet: z.string() });

export const linkTypes: readonly string[] = ['wallet.linked', 'wallet.link_undone'];

export interface LinkNotice extends Words {
  readonly userId: string;
  readonly wallet: string;
}

export function noticeOfLink({ type, data }: StoredEvent): LinkNotice {
  const { user_id: userId, wallet } = link.parse(data);
  const said =
    type === 'wallet.linked'
      ? words(
          'wallet_linked',
          'Wallet linked to an account',
          `The account ${userId} now sees ${wallet}, acts in its orders and pays with its transfers. It cannot move what the wallet owns. If this was not you, undo the link with this wallet.`,
        )
      : words('wallet_link_undone', 'Link of a wallet undone', `The account ${userId} no longer sees ${wallet} or acts for it.`);
  return { ...said, userId, wallet };
}
