import './wallet-mark.css';
import type { RadioRow } from '../ui/index.ts';
import type { WalletOffer } from './wallet-session.ts';

/** The wallet's own icon, or two letters. Icons are data: URLs, used only as images. */
export function WalletMark({ name, icon }: { readonly name: string; readonly icon?: string | undefined }) {
  return (
    <span className="wallet-mark" aria-hidden="true">
      {icon === undefined ? name.slice(0, 2) : <img src={icon} alt="" />}
    </span>
  );
}

/** A row of the wallet picker. */
export function walletRow(offer: WalletOffer, aside: RadioRow['aside']): RadioRow {
  return {
    value: offer.id,
    mark: <WalletMark name={offer.isTest ? 'TW' : offer.name} icon={offer.icon} />,
    label: (
      <>
        {offer.name}
        {offer.isTest ? <span className="sandbox-tag">Sandbox</span> : null}
      </>
    ),
    aside,
  };
}
