/** Paying for one order: where to, from which wallets, and whom to tell. Used wherever an order can be paid. */
import { type NetworkName, namedOnlyNetworks, networkFacts, usualNetwork } from '@market/contract';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { type Answer, invalidate, useAnswer, useMarket } from '../data/answers.ts';
import { useSession } from '../data/session.ts';
import { useWallets } from '../wallets/use-wallets.ts';
import { isUnderWay } from './pay-machine.ts';
import { BY_ADDRESS, type PayPanelProps } from './pay-panel.tsx';
import { usePay } from './use-pay.ts';

/** Base, then Solana, then the others. */
const shownFirst: readonly NetworkName[] = [usualNetwork.evm, usualNetwork.solana, ...namedOnlyNetworks];

type OrderView = Answer<'orders.get'>['data'];

export function useOrderPay(view: OrderView, onPaid: () => void): Omit<PayPanelProps, 'split' | 'children'> {
  const { order } = view;
  const options = [...view.payment_options].sort((a, b) => shownFirst.indexOf(a.network) - shownFirst.indexOf(b.network));
  const market = useMarket();
  const queries = useQueryClient();
  const { user } = useSession();
  const account = useAnswer('auth.user', {}, { enabled: user !== null });
  const { offers, directory } = useWallets();
  const { driver, state } = usePay({
    subject: `order:${order.id}`,
    tell: async (network, reference) => {
      await market.orders.pay({ id: order.id, escrow_tx_hash: reference, payment_chain: networkFacts[network].chain });
    },
    onPaid: () => void invalidate(queries, ['orders.get', 'orders.list', 'notifications.list']).then(onPaid),
  });
  const [choice, setChoice] = useState<PayPanelProps['choice']>(() => ({ network: firstNetwork(options, order), walletId: undefined }));

  const choose = (next: PayPanelProps['choice']): void => {
    setChoice(next);
    const terms = options.find(({ network }) => network === next.network);
    if (terms === undefined || next.walletId === undefined || next.walletId === BY_ADDRESS) return;
    void driver.choose(next.walletId, terms);
  };

  // A wallet that was used here before, or the sandbox's own, is taken without asking. Once per network.
  const tried = useRef<NetworkName>(undefined);
  useEffect(() => {
    if (directory === undefined || choice.walletId !== undefined || tried.current === choice.network || isUnderWay(state)) return;
    const { kind } = networkFacts[choice.network];
    const remembered = directory.rememberedOf(kind);
    const wanted = offers.find(({ id }) => id === remembered) ?? offers.find((offer) => offer.isTest && offer.kind === kind);
    if (wanted === undefined) return;
    tried.current = choice.network;
    void directory.resume(wanted.id).then((session) => {
      if (session !== undefined) choose({ network: choice.network, walletId: wanted.id });
    });
  });

  const linked = account.data?.data.wallets.map(({ address }) => address) ?? [];
  const isKnown = user === null || account.data !== undefined;
  const payers = isKnown ? [...new Set([order.client_wallet, ...linked].filter((address) => address !== null))] : undefined;
  return { driver, state, options, choice, onChoose: choose, payers };
}

/** The one named with the order, else one that fits the wallet it was placed with, else Base. */
function firstNetwork(options: OrderView['payment_options'], { payment_network, client_wallet }: OrderView['order']): NetworkName {
  const kind = client_wallet === null ? undefined : client_wallet.startsWith('0x') ? 'evm' : 'solana';
  const fitting = options.filter(({ network }) => kind === undefined || networkFacts[network].kind === kind);
  const base = fitting.find(({ network }) => network === usualNetwork.evm);
  return payment_network ?? base?.network ?? fitting[0]?.network ?? options[0]?.network ?? usualNetwork.evm;
}
