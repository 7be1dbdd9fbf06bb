// What may be written to a table, from its row: a generated file has only rows.
import type { Knex } from 'knex';
import type { Tables } from 'knex/types/tables.js';

/** JSON is written as text, so that arrays are not taken for PostgreSQL arrays. */
type Written<T> = unknown extends T ? string : T extends Date ? Date | string : T;

/**
 * Columns that may be left out: those with defaults, and those that may be null. JSON, which is `unknown`,
 * does not show by its type that it may be null.
 */
type Optional<Row, Defaulted, NullableJson> = {
  [K in keyof Row]: K extends Defaulted | NullableJson ? K : unknown extends Row[K] ? never : null extends Row[K] ? K : never;
}[keyof Row];

type Inserted<Row, Defaulted, NullableJson> = {
  [K in Exclude<keyof Row, Optional<Row, Defaulted, NullableJson>>]: Written<Row[K]>;
} & {
  [K in Optional<Row, Defaulted, NullableJson>]?: Written<Row[K]> | (K extends NullableJson ? null : never);
};

/** An update may compute its values in SQL. */
type Changes<T> = { [K in keyof T]?: T[K] | Knex.Raw };

export type Table<Row, Defaulted extends keyof Row = never, NullableJson extends keyof Row = never> = Knex.CompositeTableType<
  Row,
  Inserted<Row, Defaulted, NullableJson>,
  Changes<Inserted<Row, Defaulted, NullableJson>>
>;

/** A new row of a table: `Insert<'agents'>`. */
export type Insert<Name extends keyof Tables> = Knex.ResolveTableType<Tables[Name], 'insert'>;
