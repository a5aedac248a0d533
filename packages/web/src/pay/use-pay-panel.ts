/** The pay panel of any subject: the driver, the choice of network and wallet, and automatic use of a known wallet. */
import { type NetworkName, namedOnlyNetworks, networkFacts, usualNetwork } from '@market/contract';
import { useEffect, useRef, useState } from 'react';
import { useWallets } from '../wallets/use-wallets.ts';
import type { PayTerms } from './pay-driver.ts';
import { isUnderWay } from './pay-machine.ts';
import { BY_ADDRESS, type PayPanelProps } from './pay-panel.tsx';
import { type UsePayOptions, usePay } from './use-pay.ts';

/** Shows Base first, then Solana, then the others. */
const shownFirst: readonly NetworkName[] = [usualNetwork.evm, usualNetwork.solana, ...namedOnlyNetworks];

export interface UsePayPanelOptions extends UsePayOptions {
  /** Terms per network, in any order. */
  readonly options: readonly PayTerms[];
  readonly firstNetwork: NetworkName;
  readonly payers: readonly string[] | undefined;
}

export function usePayPanel({ subject, submit, onPaid, payers, ...given }: UsePayPanelOptions): Omit<PayPanelProps, 'split' | 'children'> {
  const options = [...given.options].sort((a, b) => shownFirst.indexOf(a.network) - shownFirst.indexOf(b.network));
  const { offers, directory } = useWallets();
  const { driver, state, onSign } = usePay({ subject, submit, onPaid });
  const [choice, setChoice] = useState<PayPanelProps['choice']>(() => ({ network: given.firstNetwork, walletId: undefined }));

  const choose = (next: PayPanelProps['choice']): void => {
    setChoice(next);
    const terms = options.find(({ network }) => network === next.network);
    if (terms === undefined || next.walletId === undefined || next.walletId === BY_ADDRESS) return;
    void driver.choose(next.walletId, terms);
  };

  // Uses a wallet that was used here before, or the sandbox's own, without asking. Once per network.
  const tried = useRef<NetworkName>(undefined);
  useEffect(() => {
    if (directory === undefined || choice.walletId !== undefined || tried.current === choice.network || isUnderWay(state)) return;
    if (options.length === 0) return;
    const { kind } = networkFacts[choice.network];
    const remembered = directory.rememberedOf(kind);
    const wanted = offers.find(({ id }) => id === remembered) ?? offers.find((offer) => offer.isTest && offer.kind === kind);
    if (wanted === undefined) return;
    tried.current = choice.network;
    void directory.resume(wanted.id).then((session) => {
      if (session !== undefined) choose({ network: choice.network, walletId: wanted.id });
    });
  });

  return { driver, state, onSign, options, choice, onChoose: choose, payers };
}
