export interface Invariant {
  readonly id: string;
  readonly holds: string;
  readonly sql: string;
}
