/** Notifications about who may act for a wallet: a link that was made or undone. The account, the wallet and the account's other wallets get them. */
import { z } from 'zod';
import type { StoredEvent } from '../../platform/events/event-log.ts';
import { type Words, words } from './words.ts';

const link = z.object({ user_id: z.string(), wallet: z.string() });
const others = z.object({ other_wallets: z.array(z.string()).default([]) });

export const linkTypes: readonly string[] = ['wallet.linked', 'wallet.link_undone'];

export interface LinkNotice {
  readonly userId: string;
  readonly wallet: string;
  /** For the account and the wallet. */
  readonly said: Words;
  readonly otherWallets: readonly string[];
  readonly saidToOthers: Words;
}

export function noticeOfLink({ type, data, context }: StoredEvent): LinkNotice {
  const { user_id: userId, wallet } = link.parse(data);
  const { other_wallets: otherWallets } = others.parse(context ?? {});
  const [said, saidToOthers] = type === 'wallet.linked' ? linked(userId, wallet) : undone(userId, wallet);
  return { userId, wallet, said, otherWallets, saidToOthers };
}

function linked(userId: string, wallet: string): [Words, Words] {
  const title = 'Wallet linked to an account';
  const said = `The account ${userId} now sees ${wallet}, acts in its orders and pays with its transfers. It cannot move what the wallet owns. If this was not you, undo the link with this wallet, or remove it from the account.`;
  const toOthers = `${wallet} was linked to the account ${userId}, as your wallet is. After a day it can vouch for the account’s money. If this was not you, sign in and remove it from the account.`;
  return [words('wallet_linked', title, said), words('wallet_linked', title, toOthers)];
}

function undone(userId: string, wallet: string): [Words, Words] {
  const said = words('wallet_link_undone', 'Link of a wallet undone', `The account ${userId} no longer sees ${wallet} or acts for it.`);
  return [said, said];
}
