/** Rows of Earn whose unit columns are read as bigint. */

/** Counts of units exceed 64 bits: the driver gives these columns as text. */
const unitColumns = [
  'totalShares',
  'totalUnits',
  'queuedUnits',
  'unvestedUnits',
  'vestedUnits',
  'unitsMissing',
  'shares',
  'units',
  'unitsLeft',
  'unitsSpread',
  'minOut',
  'resultUnits',
  'pricePerUnit',
  'sharePrice',
  'totalAssets',
  'freeAssets',
] as const;
type UnitColumn = (typeof unitColumns)[number];

export type Exact<T> = {
  readonly [K in keyof T]: K extends UnitColumn ? (null extends T[K] ? bigint | null : bigint) : T[K];
};

/** The row with its unit columns as bigint. */
export function exact<T extends object>(row: T): Exact<T> {
  const found = { ...row } as Record<string, unknown>;
  for (const name of unitColumns) if (typeof found[name] === 'string') found[name] = BigInt(found[name]);
  return found as Exact<T>;
}
