// A table's definition in the forms that tools take.

import { type IndexDescription, type TableDescription, indexesOf, keyNames } from '../api/dynamodb';

export type SchemaForm = 'createtable' | 'cloudformation' | 'terraform';

export const kSchemaForms: { value: SchemaForm; title: string }[] = [
  { value: 'createtable', title: 'CreateTable' },
  { value: 'cloudformation', title: 'CloudFormation' },
  { value: 'terraform', title: 'Terraform' },
];

const indexOf = ({ IndexName, KeySchema, Projection }: IndexDescription) => ({ IndexName, KeySchema, Projection });

function createTable(table: TableDescription): Record<string, unknown> {
  const definition: Record<string, unknown> = {
    TableName: table.TableName,
    AttributeDefinitions: table.AttributeDefinitions,
    KeySchema: table.KeySchema,
    BillingMode: 'PAY_PER_REQUEST',
  };
  if (table.GlobalSecondaryIndexes?.length) definition.GlobalSecondaryIndexes = table.GlobalSecondaryIndexes.map(indexOf);
  if (table.LocalSecondaryIndexes?.length) definition.LocalSecondaryIndexes = table.LocalSecondaryIndexes.map(indexOf);
  return definition;
}

const word = (name: string) => name.replace(/[^A-Za-z0-9]/g, '') || 'Table';

function terraform(table: TableDescription, ttl: string | null): string {
  const name = table.TableName.replace(/[^A-Za-z0-9_]/g, '_');
  const [hash, range] = keyNames(table.KeySchema);
  const lines = [`resource "aws_dynamodb_table" "${name}" {`, `  name         = "${table.TableName}"`, '  billing_mode = "PAY_PER_REQUEST"', `  hash_key     = "${hash}"`];
  if (range) lines.push(`  range_key    = "${range}"`);
  for (const { AttributeName, AttributeType } of table.AttributeDefinitions) lines.push('', '  attribute {', `    name = "${AttributeName}"`, `    type = "${AttributeType}"`, '  }');
  for (const index of indexesOf(table)) {
    const [indexHash, indexRange] = keyNames(index.KeySchema);
    const local = table.LocalSecondaryIndexes?.includes(index);
    lines.push('', `  ${local ? 'local' : 'global'}_secondary_index {`, `    name            = "${index.IndexName}"`);
    if (!local) lines.push(`    hash_key        = "${indexHash}"`);
    if (indexRange) lines.push(`    range_key       = "${indexRange}"`);
    lines.push(`    projection_type = "${index.Projection.ProjectionType}"`);
    if (index.Projection.NonKeyAttributes) lines.push(`    non_key_attributes = ${JSON.stringify(index.Projection.NonKeyAttributes)}`);
    lines.push('  }');
  }
  if (ttl) lines.push('', '  ttl {', `    attribute_name = "${ttl}"`, '    enabled        = true', '  }');
  return [...lines, '}'].join('\n');
}

export function tableSchema(form: SchemaForm, table: TableDescription, ttl: string | null): string {
  const definition = createTable(table);
  if (form === 'terraform') return terraform(table, ttl);
  if (form === 'createtable') return JSON.stringify(definition, null, 2);
  const properties = ttl ? { ...definition, TimeToLiveSpecification: { AttributeName: ttl, Enabled: true } } : definition;
  return JSON.stringify({ Resources: { [word(table.TableName)]: { Type: 'AWS::DynamoDB::Table', Properties: properties } } }, null, 2);
}
