/** Undoes a purchase by bare transfer when its payer contests the transfer, or confirms it when its payer does. */
import { withdrawAgent } from '../../agents/index.ts';
import { escrow, lockBalance } from '../../ledger/index.ts';
import { giveUpOrder, keepOrder } from '../../orders/index.ts';
import type { ClaimHolder, ClaimHolders } from '../../payments/index.ts';
import { deletePurchase } from '../intake/repository.ts';
import { bookRegistrationFee } from '../registration/registration-fee.ts';
import type { X402Context } from '../x402-context.ts';
import { endFirstPresenter, keepHire, keepRegistration } from './end-first-presenter.ts';

/** `context` is a function because the context itself contains these holders. */
export function x402ClaimHolders(context: () => X402Context): ClaimHolders {
  return { x402: machineHires(context), registration: paidRegistrations(context) };
}

function machineHires(context: () => X402Context): ClaimHolder {
  return {
    async giveUp(tx, claim, network) {
      const from = await giveUpOrder(tx, context(), claim.subjectId, network);
      if (from === undefined) return undefined;
      await endFirstPresenter(tx, context(), claim, { isKept: false });
      await deletePurchase(tx, claim);
      return from;
    },
    async keep(tx, claim, _network, shown) {
      await keepOrder(tx, claim.subjectId);
      await keepHire(tx, context(), claim, shown);
    },
  };
}

/** A contestable fee waits in an escrow account. The first transaction that empties the account wins. */
function paidRegistrations(context: () => X402Context): ClaimHolder {
  return {
    async giveUp(tx, claim, network) {
      const held = escrow(network, claim.subjectId);
      if ((await lockBalance(tx, held)) === 0n) return undefined;
      await withdrawAgent(tx, context(), claim.subjectId);
      await endFirstPresenter(tx, context(), claim, { isKept: false });
      await deletePurchase(tx, claim);
      return held;
    },
    async keep(tx, claim, network, shown) {
      await bookRegistrationFee(tx, claim, network);
      await keepRegistration(tx, context(), claim, shown);
    },
  };
}
