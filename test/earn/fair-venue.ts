/** An honest venue: rounds down like an ERC-4626 vault, earns, loses, and can be short of cash. */
import { floor, of, over, times } from './fractions.ts';

export class FairVenue {
  /** Another holder owns the first units, so that a unit always has a price. */
  assets: bigint;
  units: bigint;
  /** The assets that are not lent out. */
  cash: bigint;
  /** The units that our wallet holds and our book should have. */
  ours = 0n;

  constructor(seed: bigint) {
    this.assets = seed;
    this.units = seed;
    this.cash = seed;
  }

  deposit(assets: bigint): bigint {
    const units = floor(times(of(assets), of(this.units, this.assets)));
    this.assets += assets;
    this.cash += assets;
    this.units += units;
    this.ours += units;
    return units;
  }

  preview(assets: bigint): bigint {
    return floor(times(of(assets), of(this.units, this.assets)));
  }

  valueOf(units: bigint): bigint {
    return floor(times(of(units), of(this.assets, this.units)));
  }

  get redeemable(): bigint {
    const payable = floor(over(of(this.cash), of(this.assets, this.units)));
    if (payable < this.ours) return payable;
    return this.ours;
  }

  redeem(units: bigint): bigint {
    const assets = this.valueOf(units);
    if (units > this.ours || assets > this.cash) throw new RangeError('the venue cannot pay this');
    this.assets -= assets;
    this.cash -= assets;
    this.units -= units;
    this.ours -= units;
    return assets;
  }

  earn(assets: bigint): void {
    this.assets += assets;
    this.cash += assets;
  }

  /** Takes the loss from lent assets first; some always remain, so that a unit keeps a price. */
  lose(assets: bigint): bigint {
    const most = this.assets - this.assets / 100n - 1n;
    const lost = assets < most ? assets : most;
    if (lost <= 0n) return 0n;
    this.assets -= lost;
    if (this.cash > this.assets) this.cash = this.assets;
    return lost;
  }

  /** Lends the cash out, except this part. */
  lend(keptPercent: bigint): void {
    this.cash = (this.cash * keptPercent) / 100n;
  }

  /** Brings all lent assets back. */
  repay(): void {
    this.cash = this.assets;
  }

  /** Adds or removes units of ours without a deposit or a redemption. */
  shift(units: bigint): void {
    this.units += units;
    this.ours += units;
  }
}
