#include "dynamo/dynamo.h"
