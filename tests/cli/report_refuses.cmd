softpmu report /nothing; softpmu report a b; softpmu report --by word; softpmu report --min x; softpmu report --what
