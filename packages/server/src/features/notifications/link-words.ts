/** Notifications about links between account and wallet. The account, the wallet and the account's other wallets get them. */
import { z } from 'zod';
import type { StoredEvent } from '../../platform/events/event-log.ts';
import { type Words, words } from './words.ts';

const link = z.object({ user_id: z.string(), wallet: z.string() });
const others = z.object({ other_wallets: z.array(z.string()).default([]) });

export const linkTypes: readonly string[] = ['wallet.linked', 'wallet.link_undone'];

export interface LinkNotice {
  readonly userId: string;
  readonly wallet: string;
  /** Text for the account and the wallet. */
  readonly text: Words;
  readonly otherWallets: readonly string[];
  readonly textToOthers: Words;
}

export function noticeOfLink({ type, data, context }: StoredEvent): LinkNotice {
  const { user_id: userId, wallet } = link.parse(data);
  const { other_wallets: otherWallets } = others.parse(context ?? {});
  const [text, textToOthers] = type === 'wallet.linked' ? linked(userId, wallet) : undone(userId, wallet);
  return { userId, wallet, text, otherWallets, textToOthers };
}

function linked(userId: string, wallet: string): [Words, Words] {
  const title = 'Wallet linked to an account';
  const text = `The account ${userId} now sees ${wallet}, acts in its orders and pays with its transfers. It cannot move what the wallet owns. If this was not you, undo the link with this wallet, or remove it from the account.`;
  const toOthers = `${wallet} was linked to the account ${userId}, as your wallet is. After a day it can vouch for the account’s money. If this was not you, sign in and remove it from the account.`;
  return [words('wallet_linked', title, text), words('wallet_linked', title, toOthers)];
}

function undone(userId: string, wallet: string): [Words, Words] {
  const text = words('wallet_link_undone', 'Link of a wallet undone', `The account ${userId} no longer sees ${wallet} or acts for it.`);
  return [text, text];
}
